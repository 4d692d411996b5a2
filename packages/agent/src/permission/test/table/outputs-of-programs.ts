/** Outputs of many programs: attached, separate, after a sign, abbreviated, and through a link. */
import type { Theme } from './theme.ts';

/** Separated by ` ; `. */
const COMMANDS = `
7z x a.7z -oTARGET ; 7z x -oTARGET a.7z ; 7z a TARGET a ; 7za a TARGET a ; pax -r -s ,a,TARGET, -f a
pax -w -f TARGET a ; pax -wfTARGET a ; pax -rw a TARGET ; rustc --extern x=TARGET a.rs ; rustc -o TARGET a.rs
rustc -oTARGET a.rs ; rustc --out-dir TARGET a.rs ; rustc --out-dir=TARGET a.rs ; rustc --emit=obj=TARGET a.rs
rustc --emit dep-info=TARGET a.rs ; rustc -C incremental=TARGET a.rs ; rustc -Cincremental=TARGET a.rs
rsync -a --link-dest=TARGET a b ; rsync -a --link-dest TARGET a b ; rsync -ab --backup-dir=TARGET a b
rsync -ab --backup-dir TARGET a b ; rsync -ab --backup-d TARGET a b ; rsync -a --temp-dir=TARGET a b
rsync -a -T TARGET a b ; rsync -a -TTARGET a b ; rsync -aT TARGET a b ; rsync -aTTARGET a b
rsync -a --partial-dir=TARGET a b ; rsync -a --write-batch=TARGET a b ; rsync -a --only-write-batch TARGET a b
rsync -a --log-file=TARGET a b ; rsync -a --log-file TARGET a b ; rsync a TARGET ; rsync h:a TARGET
install --backup a TARGET ; install a TARGET ; install -t TARGET a ; install -tTARGET a ; install -D a TARGET/x
cp a TARGET ; cp -tTARGET a ; cp --target=TARGET a ; cp --target-directory TARGET a ; ln -sf a TARGET
ln -f a TARGET ; ln -sft TARGET a ; ln TARGET x ; ln -P TARGET x ; patch -o TARGET a ; patch -oTARGET a
patch --output=TARGET a ; patch --outp TARGET a ; patch -r TARGET a ; patch -rTARGET a
patch --reject-file=TARGET a ; patch --rej TARGET a ; patch -B TARGET/ a ; patch -d TARGET -p1
patch -dTARGET -p1 ; patch --directory=TARGET -p1 ; patch --dir TARGET -p1 ; patch TARGET a.patch
git apply --directory=TARGET a.patch ; git apply --directory TARGET a.patch
git apply --build-fake-ancestor=TARGET a.patch ; git apply --build-fake-ancestor TARGET a.patch
git apply --build-fake TARGET a.patch ; git worktree add TARGET x ; git worktree add -b x TARGET
git worktree add -f -B x TARGET main ; git worktree move w TARGET
git clone --separate-git-dir=TARGET https://h/a b ; git clone --separate-git-dir TARGET https://h/a b
git clone --separate TARGET https://h/a b ; git clone --template=TARGET https://h/a b
git clone --template TARGET https://h/a b ; git clone --reference TARGET https://h/a b
git clone --reference=TARGET https://h/a b ; git clone -c core.hooksPath=TARGET https://h/a b
git clone https://h/a TARGET ; git clone -b x https://h/a TARGET ; git clone --depth 1 https://h/a TARGET
git clone --new 1 https://h/a TARGET ; git clone --bundle-uri=TARGET https://h/a b
git init --template=TARGET b ; git init --template TARGET b ; git init --separate-git-dir=TARGET b
git init TARGET ; git init -b x TARGET ; git init --object-format sha1 TARGET ; git init -q --bare TARGET
git bundle create TARGET HEAD ; git bundle create -q TARGET HEAD ; git bundle create --version 2 TARGET HEAD
git bundle create --version=2 TARGET HEAD ; git archive -o TARGET HEAD ; git archive -oTARGET HEAD
git archive --output=TARGET HEAD ; git archive --outp TARGET HEAD ; git archive -vo TARGET HEAD
git archive -9o TARGET HEAD ; git format-patch -o TARGET -1 ; git format-patch -oTARGET -1
git format-patch -no TARGET -1 ; git format-patch -1 -noTARGET ; git format-patch --output-directory=TARGET -1
git format-patch --output-dir TARGET -1 ; git diff --output=TARGET ; git diff --output TARGET
git diff --out TARGET ; git diff --output-ind x --output TARGET ; git log -1 --output=TARGET
git show --output TARGET ; git difftool -x TARGET HEAD ; git difftool --extcmd=TARGET HEAD
git bugreport -o TARGET ; git diagnose -o TARGET ; git fast-export --export-marks=TARGET HEAD
git fast-export --export-m TARGET HEAD ; git fast-import --export-marks=TARGET
git fast-import --export-pack-edges=TARGET ; git read-tree --index-output=TARGET HEAD
git checkout-index --prefix=TARGET/ -a ; git checkout-index -a --prefix TARGET/ ; git mailsplit -oTARGET a
git mailinfo TARGET b ; git mailinfo a TARGET ; git rev-list --use-bitmap-index --output=TARGET HEAD
git pack-objects TARGET ; git index-pack -o TARGET a ; git multi-pack-index --object-dir=TARGET write
git submodule add https://h/a TARGET ; git submodule add --reference TARGET https://h/a b
git send-email --output TARGET x ; git maintenance register --config-file TARGET
git maintenance register --config-file=TARGET ; git config --file TARGET a.b c ; git config -f TARGET a.b c
git config -fTARGET a.b c ; git config --fil=TARGET a.b c ; git credential-store --file TARGET store
git --git-dir=TARGET gc ; git --work-tree=TARGET checkout . ; git --git-dir TARGET init
git rerere forget TARGET ; git mv a TARGET ; git sparse-checkout set TARGET ; git restore TARGET
git checkout x -- TARGET ; git rm TARGET ; git merge-file TARGET a b ; git upload-archive TARGET
git replay --x TARGET ; git hash-object -w TARGET ; git var TARGET ; zip -b TARGET x.zip a
zip -bTARGET x.zip a ; zip -O TARGET x.zip a ; zip --out TARGET x.zip a ; zip --out=TARGET x.zip a
zip -lf TARGET x.zip a ; zip -lfTARGET x.zip a ; zip --logfile-path=TARGET x.zip a ; zip TARGET a
zip -r9 TARGET a ; zip -m x.zip TARGET ; unzip -d TARGET a.zip ; unzip -dTARGET a.zip ; unzip -qd TARGET a.zip
unzip a.zip -d TARGET ; unzip -qodTARGET a.zip ; unzip a.zip TARGET ; ar r TARGET a.o ; ar rcs TARGET a.o
ar x a.a --output TARGET ; ar x a.a --output=TARGET ; jar cf TARGET a ; jar -cf TARGET a ; jar -cfTARGET a
jar --create --file=TARGET a ; jar cfm TARGET m a ; jar xf a.jar -C TARGET ; jar -x -f a.jar --dir TARGET
objcopy a TARGET ; objcopy --dump-section .text=TARGET a ; objcopy a --split-dwo=TARGET ; strip -o TARGET a
strip -oTARGET a ; strip TARGET ; ld -o TARGET a.o ; ld -oTARGET a.o ; ld -Map=TARGET a.o ; ld -Map TARGET a.o
ld --dependency-file=TARGET a.o ; gcc -o TARGET a.c ; gcc -oTARGET a.c ; gcc -MD -MF TARGET a.c
gcc -MD -MFTARGET a.c ; gcc -dumpdir TARGET/ a.c ; gcc -Wl,-Map,TARGET a.c ; gcc -Wl,-Map=TARGET a.c
gcc -Wl,-o,TARGET a.c ; gcc -Xlinker -Map=TARGET a.c ; gcc -fdump-tree-all=TARGET a.c
gcc -fprofile-dir=TARGET a.c ; gcc -save-temps=obj -o TARGET a.c ; gcc -aux-info TARGET a.c
gcc --output=TARGET a.c ; gcc --output TARGET a.c ; go build -o TARGET . ; go build -o=TARGET .
go test -o TARGET . ; go test -cpuprofile=TARGET . ; go test -outputdir TARGET . ; go build -C TARGET .
go mod vendor -o TARGET ; go build -pkgdir=TARGET . ; cargo build --target-dir TARGET
cargo build --target-dir=TARGET ; cargo install --root TARGET x ; cargo build --out-dir=TARGET
cargo build --artifact-dir TARGET ; cargo -C TARGET build ; cargo --config build.target-dir=TARGET build
cargo --config 'build.target-dir="TARGET"' build ; cargo new TARGET ; cargo vendor TARGET ; cargo init TARGET
npm pack --pack-destination TARGET ; npm pack --pack-destination=TARGET ; npm pack --pack-dest TARGET
npm --prefix TARGET i ; npm --prefix=TARGET i ; npm -C TARGET i ; npm i --cache TARGET ; npm i --cache=TARGET
npm i --logs-dir=TARGET ; npm i --userconfig=TARGET ; npm i --globalconfig TARGET ; npm i -g --prefix TARGET x
npm i --local-prefix=TARGET ; npm diff --diff-dst-prefix=TARGET ; npm init -w TARGET ; npm i TARGET
pip install -t TARGET x ; pip install -tTARGET x ; pip install --target=TARGET x ; pip install --targ TARGET x
pip install --prefix TARGET x ; pip install --root=TARGET x ; pip install --log TARGET x
pip --log=TARGET install x ; pip install --cache-dir TARGET x ; pip download -d TARGET x
pip download -dTARGET x ; pip wheel -w TARGET x ; pip install --src TARGET -e git+https://h/x
pip install --report TARGET x ; pip install --report=TARGET x ; make -C TARGET ; make -CTARGET
make --directory=TARGET ; make --dir TARGET ; make -f TARGET ; make -o TARGET ; make -fTARGET ; make -ITARGET
make -BC TARGET ; make -BCTARGET ; make DESTDIR=TARGET ; cmake -B TARGET ; cmake -BTARGET ; cmake -S . -BTARGET
cmake --install b --prefix TARGET ; cmake --install b --prefix=TARGET ; cmake -DCMAKE_INSTALL_PREFIX=TARGET .
cmake -E copy a TARGET ; cmake -E touch TARGET ; cmake --graphviz=TARGET . ; cmake --trace-redirect=TARGET .
cmake --profiling-output=TARGET . ; docker cp c:/x TARGET ; docker cp c:x TARGET ; docker save -o TARGET i
docker save -oTARGET i ; docker save --output=TARGET i ; docker export -o TARGET c
docker build --iidfile TARGET . ; docker build --iidfile=TARGET . ; docker build --metadata-file TARGET .
docker build -o TARGET . ; docker build -oTARGET . ; docker build --output=TARGET .
docker build --output type=local,dest=TARGET . ; docker build -o type=tar,dest=TARGET .
docker buildx build --cache-to type=local,dest=TARGET . ; docker run --cidfile TARGET i
docker run --cidfile=TARGET i ; docker run -v TARGET:/x i ; docker run -v=TARGET:/x i
docker run --mount type=bind,src=TARGET,dst=/x i ; docker run --mount=type=bind,source=TARGET,target=/x i
docker compose --project-directory TARGET up ; docker compose -f TARGET up ; docker context export c TARGET
podman cp c:/x TARGET ; kubectl cp p:/x TARGET ; kubectl cp n/p:/x TARGET -c c
kubectl get pods --kubeconfig=TARGET ; kubectl get pods --cache-dir=TARGET ; kubectl get pods --cache-dir TARGET
kubectl cluster-info dump --output-directory=TARGET ; kubectl cluster-info dump --output-directory TARGET
kubectl get x --log-file=TARGET ; kubectl get x --profile-output TARGET ; gh run download -D TARGET
gh run download -DTARGET ; gh run download --dir=TARGET ; gh release download -O TARGET
gh release download -OTARGET ; gh release download --output TARGET ; gh repo clone a/b TARGET
gh repo clone a/b -- --template=TARGET ; gh gist clone x TARGET ; gh attestation download -o TARGET
gh cs cp remote:x TARGET ; gh codespace cp -e remote:x TARGET ; curl -o TARGET https://h
curl -oTARGET https://h ; curl -sSLoTARGET https://h ; curl -sSLo TARGET https://h
curl --output=TARGET https://h ; curl --output TARGET https://h ; curl --outpu TARGET https://h
curl -D TARGET https://h ; curl -DTARGET https://h ; curl --dump-header TARGET https://h
curl -c TARGET https://h ; curl -scTARGET https://h ; curl --cookie-jar TARGET https://h
curl --trace TARGET https://h ; curl --trace-ascii TARGET https://h ; curl --libcurl TARGET https://h
curl --stderr TARGET https://h ; curl --etag-save TARGET https://h ; curl --hsts TARGET https://h
curl --alt-svc TARGET https://h ; curl --output-dir TARGET -O https://h/x
curl --create-dirs --output-dir TARGET -O https://h/x ; curl --ssl-sessions TARGET https://h
curl -w '%output{TARGET}x' https://h ; wget -O TARGET https://h ; wget -OTARGET https://h
wget -qOTARGET https://h ; wget -o TARGET https://h ; wget -oTARGET https://h ; wget -a TARGET https://h
wget -P TARGET https://h ; wget -PTARGET https://h ; wget --directory-prefix=TARGET https://h
wget --dir TARGET https://h ; wget --save-cookies TARGET https://h ; wget --save-cookies=TARGET https://h
wget --rejected-log=TARGET https://h ; wget --rejected-log TARGET https://h ; wget --warc-file=TARGET https://h
wget --warc-file TARGET https://h ; wget --warc-tempdir TARGET https://h ; wget --hsts-file=TARGET https://h
wget --output-d=TARGET https://h ; wget -nvO TARGET https://h ; wget -ncPTARGET https://h ; yq -i .a=1 TARGET
yq e -i .a=1 TARGET ; yq eval --inplace .a=1 TARGET ; sqlite3 x.db '.output TARGET'
sqlite3 x.db ".once TARGET" ; sqlite3 x.db '.backup TARGET' ; sqlite3 x.db "attach 'TARGET' as x"
sqlite3 TARGET 'create table a(b)' ; sqlite3 x.db "vacuum into 'TARGET'" ; psql -o TARGET -c 'select 1'
psql -oTARGET -c 'select 1' ; psql -L TARGET -c 'select 1' ; psql --output=TARGET -c 'select 1'
psql --log-file TARGET -c 'select 1' ; psql -c '\\o TARGET' ; psql -c '\\copy a to TARGET'
psql -c "\\copy a to 'TARGET'" ; tsc --outDir TARGET ; tsc --outFile TARGET ; tsc --declarationDir=TARGET
tsc --tsBuildInfoFile TARGET ; tsc --generateTrace TARGET ; tsc -outDir TARGET ; tsc -p TARGET
prettier --write TARGET ; prettier -w TARGET ; prettier --cache-location=TARGET . ; eslint -o TARGET .
eslint -oTARGET . ; eslint --output-file=TARGET . ; eslint --cache --cache-location TARGET .
eslint --cache-file TARGET . ; eslint --fix TARGET ; pytest --junitxml=TARGET ; pytest --junitxml TARGET
pytest --junit-xml=TARGET ; pytest --basetemp=TARGET ; pytest --basetemp TARGET ; pytest -o cache_dir=TARGET
pytest -ocache_dir=TARGET ; pytest --override-ini=cache_dir=TARGET ; pytest --log-file=TARGET
pytest --debug=TARGET ; pytest --cov-report=html:TARGET ; pytest --cov-report xml:TARGET
pytest --rootdir=TARGET ; ffmpeg -i a TARGET ; ffmpeg -y -i a -f mp4 TARGET ; ffmpeg -i a -f tee '[f=mp4]TARGET'
ffmpeg -i a file:TARGET ; ffmpeg -i a -vstats_file TARGET b.mp4 ; ffmpeg -i a -passlogfile TARGET b.mp4
ffmpeg -i a -progress TARGET b.mp4 ; convert a TARGET ; convert a png:TARGET ; convert a -write TARGET b
convert a -write mpr:TARGET b ; magick a TARGET ; pandoc -o TARGET a ; pandoc -oTARGET a
pandoc --output=TARGET a ; pandoc --extract-media=TARGET a ; pandoc --log=TARGET a ; openssl rand -out TARGET 8
openssl rand -writerand TARGET 8 ; openssl req -keyout TARGET -new ; openssl enc -in a -out TARGET
openssl ca -outdir TARGET ; gpg -o TARGET -d a ; gpg -oTARGET -d a ; gpg --output TARGET -d a
gpg --outp TARGET -d a ; gpg --homedir TARGET -k ; gpg --homedir=TARGET -k ; gpg --log-file=TARGET -k
gpg --status-file TARGET -k ; gpg --keyring TARGET --import a ; ssh-keygen -f TARGET -N ''
ssh-keygen -fTARGET -N '' ; ssh-keygen -qf TARGET -N '' ; ssh-keygen -qfTARGET ; ssh-keygen -R h -f TARGET
ssh-keygen -k -f TARGET a ; age -o TARGET a ; age -oTARGET a ; age --output=TARGET a ; age -doTARGET a
ssh -E TARGET h ; ssh -ETARGET h ; ssh -vETARGET h ; ssh -S TARGET h ; ssh -vMSTARGET h
ssh -o ControlPath=TARGET h ; ssh -oUserKnownHostsFile=TARGET h ; scp h:a TARGET ; scp -S TARGET a h:
sftp h:a TARGET ; tar -cf TARGET a ; tar -cfTARGET a ; tar cf TARGET a ; tar --file=TARGET -c a
tar --fil TARGET -c a ; tar -czvfTARGET a ; tar -xf a.tar -C TARGET ; tar -xf a.tar -CTARGET
tar -xvCTARGET -f a.tar ; tar xCf TARGET a.tar ; tar xf a.tar --one-top-level=TARGET ; tar -c -g TARGET -f x a
tar -cgTARGET -f x a ; tar --index-file=TARGET -cvf x a ; tar --volno-file=TARGET -cf x a
tar -x --recursive-unlink -f a TARGET ; bsdtar -xf a -C TARGET ; sort -o TARGET a ; sort -oTARGET a
sort -uoTARGET a ; sort --output=TARGET a ; sort --out TARGET a ; sort -T TARGET a -o b ; tee TARGET
split a TARGET ; csplit -f TARGET a 1 ; csplit -fTARGET a 1 ; xxd a TARGET ; xxd -r a TARGET ; uniq a TARGET
uniq -c a TARGET ; dd of=TARGET ; truncate -s0 TARGET ; touch -r a TARGET ; mkdir -p TARGET/x
protoc --cpp_out=TARGET a.proto ; protoc -oTARGET a.proto ; protoc --descriptor_set_out=TARGET a.proto
terraform plan -out=TARGET ; terraform -chdir=TARGET plan ; terraform apply -state-out=TARGET
helm template x --output-dir TARGET ; helm pull x -d TARGET ; helm package x -dTARGET
helm registry login x --registry-config TARGET ; aws s3 cp s3://b/x TARGET ; aws s3 sync s3://b TARGET
aws s3api get-object --bucket b --key k TARGET ; gcloud storage cp gs://b/x TARGET ; gsutil cp gs://b/x TARGET
gsutil -m cp gs://b/x TARGET ; rclone copy r:x TARGET ; rclone copyto r:x TARGET
rclone --log-file=TARGET ls r: ; java -jar a.jar -o TARGET ; javac -d TARGET a.java ; javac -dTARGET a.java
mvn -DoutputDirectory=TARGET package ; mvn -f TARGET package ; mvn -l TARGET package ; gradle -p TARGET build
gradle --project-cache-dir=TARGET build ; dotnet build -o TARGET ; dotnet build -o:TARGET
dotnet publish --output=TARGET ; bun build a.ts --outfile=TARGET ; bun build a.ts --outdir TARGET
deno compile -o TARGET a.ts ; esbuild a.ts --outfile=TARGET ; esbuild a.ts --outdir=TARGET
vite build --outDir TARGET ; webpack -o TARGET ; webpack --output-path=TARGET ; rollup a -o TARGET
rollup a -d TARGET ; babel a -o TARGET ; babel a -d TARGET ; sass a.scss TARGET ; sass a.scss:TARGET
swc a -o TARGET ; vitest run --outputFile=TARGET ; vitest run --outputFile.json=TARGET
jest --outputFile=TARGET ; jest --coverageDirectory TARGET ; jest --cacheDirectory=TARGET
node --cpu-prof-dir=TARGET a.js ; node --heapsnapshot-signal=x --diagnostic-dir=TARGET a.js
node --report-dir=TARGET a.js ; node --redirect-warnings=TARGET a.js
node --trace-event-file-pattern=TARGET a.js ; node --test-reporter-destination=TARGET --test
node --build-snapshot --snapshot-blob TARGET a.js ; python3 -X pycache_prefix=TARGET a.py
python3 -Xpycache_prefix=TARGET a.py ; python3 -m venv TARGET ; python3 -m zipfile -c TARGET a
python3 -m zipfile -e a.zip TARGET ; python3 -m tarfile -e a.tar TARGET ; python3 -m cProfile -o TARGET a.py
python3 -m compileall -d TARGET a ; python3 -m pip install -t TARGET x ; python3 -m json.tool a TARGET
python3 -m http.server -d TARGET ; ruby -e 1 TARGET ; perl -i -pe 1 TARGET ; php -d error_log=TARGET a.php
strace -o TARGET ls ; strace -oTARGET ls ; strace -foTARGET ls ; ltrace -o TARGET ls ; perf record -o TARGET ls
valgrind --log-file=TARGET ls ; script -c ls TARGET ; script -qc ls TARGET ; time -o TARGET ls
tcpdump -w TARGET ; tcpdump -nwTARGET ; nmap -oN TARGET h ; nmap -oA TARGET h ; pg_dump -f TARGET d
pg_dump -FcfTARGET d ; mysqldump -r TARGET d ; mysqldump --result-file=TARGET d ; mysql -e 'x' --tee=TARGET
redis-cli --rdb TARGET ; mongodump -o TARGET ; mongodump --out=TARGET ; xz -k --suffix=TARGET a
zstd a -o TARGET ; zstd -oTARGET a ; zstd a --output-dir-flat TARGET ; zstd --trace TARGET a ; gzip -S TARGET a
brotli -o TARGET a ; lz4 a TARGET ; bzip2 TARGET ; indent a -o TARGET ; clang-format -i TARGET ; black TARGET
ruff check --fix TARGET ; ruff check --output-file=TARGET . ; ruff --cache-dir TARGET check .
mypy --cache-dir=TARGET a ; mypy --junit-xml TARGET a ; coverage html -d TARGET
coverage run --data-file=TARGET a.py ; tox --workdir TARGET ; tox -c TARGET ; nox --envdir=TARGET
uv venv TARGET ; uv pip install --target TARGET x ; uv --cache-dir TARGET sync ; uv --directory TARGET sync
poetry -C TARGET install ; poetry build -o TARGET ; bundle install --path TARGET
bundle config set --local path TARGET ; gem install -i TARGET x ; composer -d TARGET install
composer install --working-dir=TARGET ; yarn --cwd TARGET install ; yarn install --modules-folder TARGET
yarn --cache-folder=TARGET install ; pnpm -C TARGET i ; pnpm --dir TARGET i ; pnpm i --store-dir=TARGET
pnpm pack --pack-destination TARGET ; hg clone x TARGET ; svn checkout https://h/x TARGET
svn export https://h/x TARGET ; hg archive TARGET ; hg bundle TARGET ; flutter create TARGET ; rails new TARGET
npx create-x TARGET ; xcodebuild -derivedDataPath TARGET ; swift build --scratch-path TARGET
bazel --output_base=TARGET build x ; ninja -C TARGET ; ninja -CTARGET ; meson setup TARGET ; autoconf -o TARGET
m4 -o TARGET a ; flex -oTARGET a.l ; bison -o TARGET a.y ; bison --header=TARGET a.y ; nasm -o TARGET a
as -o TARGET a ; dot -Tpng -oTARGET a ; dot -Tpng a -o TARGET ; latexmk -outdir=TARGET a
pdflatex -output-directory TARGET a ; pdftotext a.pdf TARGET ; gs -sOutputFile=TARGET a ; gs -o TARGET a
qpdf a TARGET ; inkscape a -o TARGET ; wkhtmltopdf a TARGET ; sox a TARGET ; exiftool -o TARGET a
exiftool -w TARGET a ; identify -write TARGET a ; mogrify -path TARGET a ; socat - OPEN:TARGET,creat
nc -U TARGET ; ncat -o TARGET h ; openssl s_client -sess_out TARGET ; certbot --config-dir TARGET
vault -output=TARGET x ; ansible-playbook -i TARGET a.yml ; vagrant box add TARGET
packer build -var x=TARGET a ; systemd-run -p StandardOutput=file:TARGET ls ; logger -f TARGET
rename s/a/b/ TARGET ; mmv a TARGET ; ed TARGET ; ex -c 'w TARGET' a ; vim -c 'w TARGET' a
emacs --batch a -f x TARGET
`;

const commands = COMMANDS.trim().split(/ ; |\n/);
const programs = new Set(commands.map((command) => command.split(' ', 1)[0] ?? ''));

const targets = '.npmrc .git/hooks/pre-commit ../out/x ~/.bashrc link hooks/pre-commit outside/x'.split(' ');

export const OUTPUTS_OF_PROGRAMS: readonly Theme[] = [
  {
    theme: 'a protected place or one outside asks as an output',
    rules: { allow: Array.from(programs, (program) => `Bash(${program} *)`) },
    world: {
      files: ['/repo/project/a', '/repo/project/b/x'],
      links: {
        '/repo/project/link': '/repo/project/.npmrc',
        '/repo/project/hooks': '/repo/project/.git/hooks',
        '/repo/project/outside': '/out',
      },
    },
    asked: commands.flatMap((command) => targets.map((target) => command.replace('TARGET', target))),
  },
  {
    theme: 'an archive is unpacked in a folder without links that lead out, with names that stay there',
    rules: { allow: ['7z', 'jar', 'pax', 'unrar'].map((program) => `Bash(${program} *)`) },
    world: { files: ['/repo/project/b/x'], links: { '/repo/project/c/outside': '/out' } },
    asked: [
      '7z x -spf a.7z',
      '7z x a.7z -spf2',
      '7z x a.7z -oc',
      '7z e -oc a.7z',
      '7z x a.7z',
      'unrar x a.rar',
      'jar xf a.jar',
      'jar -xfP a.jar',
      'pax -rf a.tar',
      'pax -r -s ,a,b, -f a.tar',
    ],
    allowed: ['7z l a.7z', '7z x a.7z -ob', '7z a x.7z b', 'jar tf a.jar', 'jar cf x.jar b', 'pax -f a.tar'],
  },
  {
    theme: 'commands in a file on the input are not covered',
    rules: { allow: ['sftp', 'ftp', 'lftp', 'ed', 'ex'].map((program) => `Bash(${program} *)`) },
    asked: [
      "ex -c '!touch z' a",
      'sftp h < x',
      'lftp h < x',
      'ftp h < x',
      'ed a < x',
      'ex a < x',
      "echo 'get a .npmrc' | sftp h",
    ],
    allowed: ['sftp h', 'sftp h:a b'],
  },
  {
    theme: 'a folder of programs is protected in the words of every program that may change it',
    rules: {
      allow:
        'python3,awk,gcc,make,prettier,black,npm,cargo,pip,cmake,jest,ffmpeg,protoc,docker,node,php,nyc,env,sh'
          .split(',')
          .map((program) => `Bash(${program} *)`),
    },
    world: {
      files: ['node_modules/.bin/tsc', 'vendor/bin/x', 'q', 'src/a.ts'].map(
        (name) => `/repo/project/${name}`,
      ),
      links: { '/repo/project/.mcp.json': '/repo/project/m.json' },
    },
    asked: [
      ...[
        'node_modules/.bin/tsc',
        'vendor/bin/x',
        './vendor/bin/new',
        '.venv/bin/python',
        'm.json',
        './m.json',
      ].flatMap((place) => [
        `python3 -m pytest --junitxml=${place}`,
        `awk '{print > "${place}"}' q`,
        `gcc -o${place} q.c`,
        `make OUT=${place}`,
        `prettier --write ${place}`,
        `ffmpeg -i q ${place}`,
        `jest --outputFile=${place}`,
        `jest --outputFile ${place}`,
        `docker run -v ./${place}:/x img`,
        `node x.js --out ${place}`,
      ]),
      'pip install -t vendor/bin x',
      'npm pack --pack-destination=node_modules/.bin',
      'cargo build --target-dir vendor/bin',
      'cmake -B vendor/bin',
      'python3 -m venv node_modules/.bin',
    ],
    allowed: [
      'node node_modules/.bin/tsc -p .',
      'php vendor/bin/x src',
      'env node_modules/.bin/tsc',
      'sh vendor/bin/x',
      'prettier --write src/a.ts',
      'python3 -m pytest --junitxml=report.xml',
    ],
  },
  {
    theme: 'any number of letters and digits may be before a value in the same word',
    rules: {
      allow: 'git,make,pip,xargs,python3,pandoc,gpg,psql,dot,docker,ssh,dig,rsync,zip'
        .split(',')
        .map((program) => `Bash(${program}:*)`),
      deny: ['Read(secrets/**)', 'Read(key)'],
    },
    world: {
      files: ['secrets/prod/key', 'key', 'lefthook.yml', 'vendor/bin/x'].map(
        (name) => `/repo/project/${name}`,
      ),
    },
    denied: [
      'git commit -qFsecrets/prod/key',
      'git commit --allow-empty -qqqqqqqqqFsecrets/prod/key',
      'git tag -aaaaaaaaaaFsecrets/prod/key v',
      'git commit -qFkey',
      'git commit -qqqqqqqqqqFkey',
      'git ls-files -oooooooooXsecrets/prod/key',
      'make -kkkkkkkkkpfsecrets/prod/key',
      'pip install -vvvvvvvvvrsecrets/prod/key',
      'pip install -vvvvvvvvvrkey',
      'xargs -rrrrrrrrrasecrets/prod/key echo',
      'xargs -0asecrets/prod/key echo',
      'xargs -r0akey echo',
      'python3 -m pytest -qqqqqqqqqcsecrets/prod/key',
      'dig -4fsecrets/prod/key',
    ],
    asked: [
      'pandoc -sssssssssolefthook.yml q',
      'gpg -vvvvvvvvvolefthook.yml -d q',
      'psql -qqqqqqqqqolefthook.yml -c x',
      'psql -1olefthook.yml -c x',
      'dot -vvvvvvvvvolefthook.yml q',
      'pip install -vvvvvvvvvtvendor/bin x',
      'docker run -tttttttttvvendor/bin:/x img',
      'ssh -4Elefthook.yml h',
      'rsync -4Tvendor/bin a h:b',
      'zip -9bvendor/bin x.zip a',
    ],
    allowed: ['git commit -qm x', 'pip install -vvv x', 'make -kkkkkkkkkj8 all', 'git log -20 --oneline'],
  },
];
