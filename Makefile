# The house's commands. Each is one script in .ci/ or one call of cargo, so that people and CI say the same words.
.DEFAULT_GOAL := help
.PHONY: help serve build test check run shell bench measure screenshots clean

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

serve: ## build and start Bough at http://127.0.0.1:3000, data in ./data (BOUGH_ADDR, BOUGH_DATA change that)
	@exec .ci/serve

build: ## the release alone: target/release/bough and the page beside it
	@.ci/tools && exec .ci/build

test: ## format, every Rust test, the release build, its size, and the stories in a real browser
	@exec .ci/test

check: ## format, house rules, lints and documentation, without running anything
	@exec .ci/check

run: ## everything a change must pass: check, licences and bans, test (what CI runs)
	@exec .ci/run

shell: ## a shell with the project's tools on PATH (there `cargo leptos serve --release --split` works)
	@.ci/tools
	@exec bash --rcfile .ci/shell -i

bench: ## the benchmarks, with the machine they ran on
	@.ci/bench

measure: ## the page in a real browser: size, start, streaming, long chats, memory
	@exec .ci/measure

screenshots: ## take the pictures of the papers again from the real page
	@.ci/tools test && .ci/build && cd end2end && npx playwright test --config screenshots.config.ts

clean: ## remove everything that was built (not ./data, not the tools)
	rm -rf target end2end/test-results end2end/playwright-report
