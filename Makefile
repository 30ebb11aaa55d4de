# make demo: the whole job on a sandbox chain.  make test: everything that proves it.
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BIN     := bin/say-ur-intent
# Functions begin at 16 bytes, as on arm64; at amd64's 32 the file has a quarter
# of a megabyte more of gaps between them.
LDFLAGS := -s -w -funcalign=16 -X main.version=$(VERSION)

# Recorded chain material is read from beside the checkout, where it is there.
comma   := ,
SHARED  := $(wildcard ../shared/data)
TAGS    := clients$(if $(SHARED),$(comma)shared)

GODIRS  := cmd docs internal packaging prompts resources review store test tools

# More packages are tested side by side than there are processors, for some of them
# wait for processes and browsers half of the time.
SIDE    ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# The longest packages start first, so that none of them runs alone at the end.
LONGEST := ./review/web ./store ./test/clients ./review ./cmd/say-ur-intent ./tools

# Where the set-up puts a Node when the machine's own is too old.
export PATH := $(CURDIR)/bin/node/node_modules/.bin:$(PATH)

.PHONY: build demo quick lint lint-systems lint-workflows test soak race clients lies histories mutants gen record site film picture flake verify-pins anchor fuzz bench setup clean dist dist-check reproduce

# grpcnotrace leaves out the trace pages of gRPC, which nobody can open here.
build:
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -tags grpcnotrace -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/say-ur-intent
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)-client ./cmd/say-ur-intent-client

demo: build
	@$(BIN) demo $(ARGS)

# setup brings what the tests need beside Go: Chromium, Node, the JavaScript clients.
setup:
	@sh test/setup.sh

# quick is what to run after each edit: no browser, no Node and no other process. Most of
# its time goes to the compiler, which collects garbage less often here; make lint vets.
quick:
	GOGC=400 $(GO) test -short -vet=off -p $(SIDE) -tags '$(if $(SHARED),shared)' $(filter-out ./test/clients,$(LONGEST)) ./...

# test runs everything, browsers and other processes included; make lint vets.
test: setup build
	@$(if $(SHARED),,echo 'not run: tests on recorded chain material, which lies in ../shared and is not part of this repository')
	SAY_UR_INTENT_BUILT='$(CURDIR)/$(BIN)' $(GO) test -vet=off -p $(SIDE) -timeout 30m -tags '$(TAGS)' $(LONGEST) ./...

# clients lets real MCP clients do the whole job: agents of the command line with a
# scripted model on loopback, the official kits, the Inspector. They are large, so
# they are installed here and not for make test. One that does not install or start
# is named as NOT RUN.
PATIENCE ?= 20m
clients: setup
	@sh test/setup.sh agents
	$(GO) test -v -count=1 -timeout $(PATIENCE) -tags agents ./test/agents

# lint runs gofmt, vet and staticcheck, and Vale over all texts: internal/prose compares its
# counts with test/vale/counts.txt. Results are cached, so it takes seconds when nothing changed.
lint:
	@bad=$$(gofmt -l $(GODIRS)); test -z "$$bad" || { echo "$$bad"; echo 'run gofmt -w on these files' >&2; exit 1; }
	$(GO) vet -tags '$(TAGS)' ./...
	$(GO) vet -tags agents ./test/agents
	$(GO) tool staticcheck -tags '$(TAGS)' ./...
	$(GO) run ./internal/prose

# lint-systems vets for the other two systems and checks that generated documents are current.
lint-systems:
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) vet -tags '$(TAGS)' ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) vet -tags '$(TAGS)' ./...
	$(GO) run ./internal/gen -check

# soak is every long run, half a day on two cores. The nights run its parts side by side.
soak: lies histories fuzz mutants race

# race runs every test under the race detector, about an hour on two cores:
# make race PKGS=./store/... for some packages.
PKGS ?= ./...
race: setup build
	SAY_UR_INTENT_BUILT='$(CURDIR)/$(BIN)' $(GO) test -race -timeout 60m -tags '$(TAGS)' $(PKGS)

# mutants breaks each guard that is marked in the code (//mutant:), one at a time;
# the test named beside it must fail: make mutants MUTANTSFLAGS='-run review' for some.
mutants: setup
	$(GO) run ./internal/mutants -tags '$(TAGS)' $(MUTANTSFLAGS)

gen:
	$(GO) run ./internal/gen
	$(GO) run ./packaging/notices

# record calls every tool on the sandbox and writes the answers into its page.
record:
	$(GO) test ./tools -count=1 -run '^TestRecordedAnswers$$' -write
	$(GO) run ./internal/gen

# verify-pins reads the pinned facts about FlowX and described protocols again from a mainnet node, and
# stops where one differs: make verify-pins NODE=https://host:443 for another node,
# PINSFLAGS=-write to add pools at fee tiers that had none before.
NODE ?= https://fullnode.mainnet.sui.io:443
verify-pins:
	$(GO) run ./internal/pins -node '$(NODE)' $(PINSFLAGS)

# anchor follows Sui's validators from the shipped anchor of proofs to the present epoch,
# verifying each: make anchor ANCHORFLAGS=-write adds the new one to the file,
# ANCHORFLAGS='-archive https://host:443' names a node that keeps old checkpoints.
anchor:
	$(GO) run ./internal/anchor -node '$(NODE)' $(ANCHORFLAGS)

# lies has a node tell every lie about every field that is read, and more about proofs, lets
# more releases race, and damages every column of the store in every way; make test does a
# part of each.
lies:
	$(GO) test -count=1 -timeout 90m -run '^TestLiar$$' ./internal/testkit/lies -every 1
	$(GO) test -count=1 -timeout 30m -run '^TestLyingNode$$' ./internal/sui/prover -lies 10000
	$(GO) test -count=1 -timeout 30m -run '^TestOneReleaseInManyRaces$$' ./review -races 10000
	$(GO) test -count=1 -timeout 30m -run '^TestEveryColumnOfEveryTable$$' ./store -every 1

# histories walks through other random histories than make test, and more of them, and kills
# servers and nodes more often.
histories:
	$(GO) test -count=1 -timeout 60m -run '^TestPaidTwiceModel$$' ./review -history 0 -histories 10000
	$(GO) test -count=1 -timeout 30m -run '^TestHistories$$' ./store -histories 5000
	$(GO) test -count=1 -timeout 30m -run '^TestStarters$$' ./internal/door -rounds 200
	$(GO) test -count=1 -timeout 30m -run '^TestCluster$$' ./internal/relay -kills 60 -calls 3000
	$(GO) test -count=1 -timeout 30m -run '^TestCallsAcrossKills$$' ./cmd/say-ur-intent -kills 50 -calls 3000

# fuzz runs every fuzz target for a short while: make fuzz FUZZTIME=10m for longer.
FUZZTIME ?= 20s
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "== $$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; done

bench: build
	SAY_UR_INTENT_MEASURE=1 $(GO) test -count=1 -v -run '^TestMeasurePages$$' ./review/web
	$(GO) test -p 1 -run '^$$' -bench . -benchmem $(if $(SHARED),-tags shared) ./...

# dist builds all that a release holds into dist/ and publishes nothing; dist-check installs
# it in a folder of its own and has it do the main job; reproduce builds twice and
# compares. DIST=one is this machine's system alone, DIST=release the tag at hand.
# Heavy: two programs for six systems, and the tools that build them. No part of make test.
DIST ?= all
dist:
	@sh packaging/dist.sh $(DIST)

dist-check:
	@sh packaging/dist-check.sh

reproduce:
	@sh packaging/reproduce.sh $(DIST)

# site builds the site of README.md and docs/ into dist/site, and checks its links.
site:
	@sh packaging/site.sh

# film takes the moving picture of the README, in Chromium.
film:
	$(GO) test ./cmd/say-ur-intent -count=1 -run '^TestFilm$$' -film '$(CURDIR)/docs/tour.gif'

# picture takes the picture of the review page in docs/, in Chromium.
picture:
	dir=$$(mktemp -d) && SAY_UR_INTENT_SCREENSHOTS=$$dir $(GO) test ./review/web -count=1 \
	  -run '^TestBrowserTenSecondsOfReviews$$' && cp $$dir/swap-light-1280.png docs/review.png; rm -r $$dir

# flake writes the hash of the modules into flake.nix, after a change of go.mod.
flake:
	$(GO) run ./packaging/pack -only flake

lint-workflows:
	$(GO) tool -modfile=packaging/tools/go.mod actionlint

clean:
	rm -rf bin dist packaging/node_modules packaging/site/node_modules packaging/site/pages packaging/shell test/clients/node_modules test/clients/dist test/agents/node_modules
