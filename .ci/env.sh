# Sourced by every script here: puts the project's own tools first on PATH and picks one compiler for all builds.
# No state of its own: running it twice changes nothing.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${BOUGH_TOOLS:-$root/.tools}
# `.ci/bin` holds what stands before a tool of the same name.
export PATH="$root/.ci/bin:$tools/bin:$root/style/node_modules/.bin:$PATH"
export LEPTOS_OUTPUT_NAME=bough LEPTOS_HASH_FILES=true
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 NPM_CONFIG_FUND=false NPM_CONFIG_AUDIT=false NPM_CONFIG_UPDATE_NOTIFIER=false

has_wasm_target() { # $1: a compiler's sysroot
    compgen -G "$1/lib/rustlib/wasm32-unknown-unknown/lib/libstd-*.rlib" >/dev/null
}
# The front end needs a compiler with the WASM standard library. Where the active one lacks it and Debian's has it
# (see wasm-target), every build uses Debian's, so that all of them share one set of artefacts.
if command -v rustc >/dev/null && ! has_wasm_target "$(rustc --print sysroot)"; then
    if rustup toolchain list 2>/dev/null | grep -q '^debian' && has_wasm_target /usr; then
        export RUSTUP_TOOLCHAIN=debian
    fi
fi

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
