/** Random commands of ordinary rules, whose operands have unusual names. */
import path from 'node:path';
import type { Choose } from '../choices.ts';
import { quoted, quotedHere, randomName } from './names.ts';
import type { Places, ProjectNames } from './project.ts';

/**
 * Each line is a rule and commands. In a command, <P> is a path, <N> a new name, <F> a file of the project, <A> an address of a
 * repository, <U> one with `file:`, <R> a revision and <C> a path in the code of a program.
 */
const COMMANDS = `
mytool | mytool <P> | mytool -o<P> | mytool -o <P> | mytool --out=<P> | mytool KEY=<P> | mytool a:<P> | mytool <P>:<P> | mytool @<P> | mytool <F>,<P> | mytool <P>,<F> | mytool -v <P>:/x | mytool --mount=src=<P>,dst=x | mytool -D<P>=x | mytool <U> | mytool -x <F> -- <P> | mytool --opt <P> <F> | mytool -vo<P> | mytool <P>=<P>
make | make -C <P> | make -C<P> | make -f <P> | make OUT=<P> | make OUT=<P> <N> | make --directory=<P> all | make -I<P> -f Makefile
pytest | pytest --junitxml=<P> | pytest <P> | pytest --basetemp <P> | pytest <P>::<N> | pytest --rootdir=<P> <F>
npm test | npm test -- <P> | npm test --prefix <P> | npm test -- --out=<P>
prettier | prettier --write <P> | prettier --config=<P> <F> | prettier --write <F> <P>
cargo | cargo build --target-dir <P> | cargo build --target-dir=<P> | cargo test --manifest-path <P>
ffmpeg | ffmpeg -i <F> <P> | ffmpeg -i <P> <N>
convert | convert <F> <P> | convert <F> png:<P> | convert <P> <N> | convert @<P> <N>
docker | docker run -v <P>:/x img | docker run -v<P>:/x img | docker run --volume=<P>:/x img | docker run --mount type=bind,source=<P>,target=/x img | docker run --mount=type=bind,src=<P>,dst=/x img | docker run --env-file <P> img | docker run --env-file=<P> img | docker cp <P> c:/x | docker cp c:/x <P> | docker run --cidfile=<P> img | docker create -v <P>:/x:ro img
kubectl | kubectl cp p:x <P> | kubectl cp <P> p:x | kubectl apply -f <P>
cp | cp <F> <P> | cp <P> <N> | cp -r <P> <N> | cp -t <P> <F> | cp --target-directory=<P> <F> | cp -t<P> <F> | cp -a <P> <P> | cp -- <F> <P> | cp -rT <P> <P> | cp -b <F> <P> | cp -S <P> -b a b
mv | mv <F> <P> | mv <P> <N> | mv -t <P> <F> | mv -T <F> <P> | mv -- <P> <P>
ln | ln -s <P> <N> | ln -s <F> <P> | ln <P> <N> | ln -sf <F> <P> | ln -t <P> <F> | ln -sfn <F> <P>
rm | rm -r <P> | rm -f -- <P> | rm -rf <P>/*
mkdir | mkdir -p <P> | mkdir -p <P>/x/y
touch | touch <P> | touch -r <P> <F> | touch -- <P> | touch -r <F> <P>
tar | tar cf <P> <F> | tar cf - <P> | tar cf <N> <P> | tar -C <P> -cf <N> . | tar cf <N> -C <P> . | tar -cf<P> <F> | tar --create --file=<P> <F> | tar xf o.tar -C <P> | tar xf o.tar --directory=<P> | tar czf <P> <F> | tar chf - <P> | tar cf <N> -T <P> | tar cf <N> --add-file=<P> | tar xf <P> | tar cf <N> -X <P> <F> | tar cf <N> --files-from=<P>
zip | zip -0 <P> <F> | zip -0 <N> <P> | zip -0r <N> <P> | zip -0 -b <P> <N> <F> | zip -0r <P> src | zip -0 <N> -@ < <P> | zip -0 <N> -O<P> <F> | zip -0 <N> . -i <P>
unzip | unzip -o o.zip -d <P> | unzip -o o.zip -d<P> | unzip -p <P>
7z | 7z a -mx0 <P> <F> | 7z a -mx0 <N> <P> | 7z x -y o.7z -o<P> | 7z a -mx0 <N> @<P> | 7z a -mx0 -w<P> <N> <F> | 7z a -mx0 <N> -i!<P> | 7z a <N> -ir@<P> | 7z e -y -o<P> o.zip
rsync | rsync <F> <P> | rsync -r <P> <N> | rsync -a <P>/ <N>/ | rsync --files-from=<P> . <N>/ | rsync -a --backup-dir=<P> -b a b | rsync -a --temp-dir=<P> a c | rsync -a --partial-dir=<P> a c | rsync --log-file=<P> a c | rsync -aT<P> a c | rsync -a ./<P> ./<N> | rsync -aL <P> <N> | rsync -a a b <P> | rsync -R <P> <N>/ | rsync -a --link-dest=<P> a <N>/ | rsync -a --exclude-from=<P> src <N>
pax | pax -w <P> | pax -wf <P> <F> | pax -rw <P> <N> | pax -rw <F> <P> | pax -w -f<P> <F> | pax -w -s ,a,b, <P>
sed | sed -i s/a/b/ <P> | sed -n p <P> | sed -n -e 'w <C>' a | sed 'r <C>' a | sed -n 's/a/b/w <C>' a | sed --in-place=<P> s/a/b/ b | sed -i.bak s/a/b/ <P> | sed -i -- s/a/b/ <P> | sed -s -n '$p' <P> <F> | sed 'R<C>' a | sed -e W<P> a | sed -ewx -e r<P> a
sort | sort -o <P> a | sort -o<P> a | sort --output=<P> a | sort <P> | sort -T <P> a | sort --files0-from=<P> | sort -uo<P> a b
tee | echo x BAR tee <P> | echo x BAR tee -a <F> <P> | echo x BAR tee -- <P>
split | split a <P> | split -b 1 a <P> | split -l 1 <P> <N> | split --additional-suffix=<P> a <N> | split -a1 <P> <N>
csplit | csplit -f <P> a 1 | csplit -f<P> a 1 | csplit --prefix=<P> a 1 | csplit -f <N> -b <P> a 1
find | find <P> -type f | find <P> -exec cat {} + | find <F> -fprint <P> | find <P> -name f -delete | find . -newer <P> | find <P> -exec touch {} + | find <P> -fls <N> | find src -exec cp {} <P> ; | find <P> -name '*' -exec cp {} <N> ; | find -files0-from <P>
xargs cat | printf '%s' <P> BAR xargs cat | echo <P> BAR xargs cat | printf '%s\\0' <P> BAR xargs -0 cat | xargs -a <P> cat | xargs cat < <P>
xargs touch | printf '%s' <P> BAR xargs touch | echo <P> BAR xargs -n1 touch | xargs -I{} touch {} <<< <P>
curl | curl -s <U> | curl -s -o <P> <U> | curl -s -T <P> <U> | curl -s -T a <U> | curl -o<P> <U> | curl -sO <U> | curl -s -D <P> <U> | curl -s -c <P> <U> | curl -d @<P> http://127.0.0.1:9 | curl -s --output-dir <P> -O <U> | curl -K <P> | curl -sF x=@<P> http://127.0.0.1:9 | curl -s --url <U> | curl -s -w @<P> <U> | curl -s -w %output{<C>}x <U> | curl -s --trace <P> <U> | curl -s --stderr <P> <U> | curl -s --etag-save <P> <U>
wget | wget -q -O <P> http://127.0.0.1:9 | wget -o <P> http://127.0.0.1:9 | wget -a<P> http://127.0.0.1:9 | wget -i <P> | wget -P <P> http://127.0.0.1:9/f | wget --save-cookies=<P> http://127.0.0.1:9 | wget --post-file=<P> http://127.0.0.1:9
gcc | gcc -c m.c -o <P> | gcc -c m.c -o<P> | gcc -E <P> | gcc -E -include <P> m.c | gcc -c m.c -MD -MF <P> -o <N> | gcc -c m.c -MMD -MF<P> -o<N> | gcc -E -I<P> m.c | gcc -E -imacros <P> m.c | gcc -c m.c -o <N> -save-temps -dumpdir <P> | gcc -xc -E <P> | gcc @<P> | gcc -E -Wp,-MD,<P> m.c | gcc -E -x c -imacros<P> m.c | gcc -c m.c -o <N> -Wa,-a=<P>
openssl | openssl dgst -sha1 <P> | openssl base64 -in <P> | openssl base64 -in a -out <P> | openssl enc -base64 -in <P> -out <N> | openssl rand -out <P> 4 | openssl rand -writerand <P> 4 | openssl dgst -sha1 -out <P> a | openssl genrsa -out <P> 512 | openssl base64 -in a -out <F> -pass file:<P>
jq | jq . <P> | jq -R . <P> | jq --rawfile x <P> -n '$x' | jq --slurpfile x <P> -n '$x' | jq -n --arg x <P> '$x' | jq -f <P> j.json | jq -L <P> . j.json | jq -Rr . -- <P>
awk | awk '{print}' <P> | awk '{print > "<C>"}' a | awk -v x=<P> '{print x}' a | awk -f <P> a | awk '{while((getline l < "<C>")>0) print l}' a | awk 1 x=<P> a | awk 1 <P> <F> | awk '{print >> "<C>"}' a | awk -v f=<P> '{print > f}' a | awk '{print > f}' f=<P> a | awk 'BEGIN{while((getline l < ARGV[1])>0) print l}' <P>
python3 | python3 -c 'open("<C>","w").write("x")' | python3 -c 'print(open("<C>").read())' | python3 <P> | python3 -m json.tool <F> <P> | python3 -c 'import sys; open(sys.argv[1],"w")' <P> | python3 -m zipfile -c <P> a | python3 -m zipfile -c <N> <P> | python3 -m tarfile -c <N> <P> | python3 -m tarfile -c <P> a | python3 -m compileall <P> | python3 -m base64 -e <P> | python3 -m gzip <P>
perl | perl -e 'open(F,">","<C>"); print F 1' | perl -pi -e s/a/b/ <P> | perl -ne print <P> | perl -pi<P> -e s/a/b/ b | perl -e 'open(F,"<C>"); print <F>' | perl -e 'open F, ">", shift' <P>
patch | patch -p1 -i p.diff | patch <P> p.diff | patch -o <P> a p.diff | patch -d <P> -p1 -i new.diff | patch -p1 -d<P> < new.diff | patch -r <P> b p.diff | patch -p1 --directory=<P> -i p.diff | patch -p1 -B <P> -b -i p.diff | patch -p1 -i <P> | patch -z<P> -b a p.diff | patch -p1 -b -Y <P> -i p.diff
install | install a <P> | install -D a <P> | install -t <P> a | install -d <P> | install <P> <N> | install -t<P> a | install -D -t <P> a b | install --target-directory=<P> a | install -bS <P> a b
dd | dd if=a of=<P> status=none | dd if=<P> status=none | dd if=<P> of=<N>
ar | ar rc <P> a | ar rc <N> <P> | ar p <P> | ar x <P> | ar rcT <N> <P> | ar rc @<P> | ar x o.a --output=<P> | ar x --output <P> o.a
gzip | gzip -k <P> | gzip -c <P> | gzip -k -S <P> a | gzip -kr <P> | gzip -kf -- <P> | gzip -kS<P> a
xz | xz -k <P> | xz -c0 <P> | xz -k --suffix=<P> a | xz --files=<P>
bzip2 | bzip2 -k <P> | bzip2 -c <P>
zstd | zstd -q <F> -o <P> | zstd -qo<P> <F> | zstd -q --output-dir-flat <P> <F> | zstd -q <P> -o <N> | zstd -cq <P> | zstd -q --filelist=<P> | zstd -q --patch-from=<P> a -o <N> | zstd -q -D <P> a -o <N> | zstd -q --output-dir-mirror=<P> <F>
cat | cat <P> | cat -- <F> <P> | cat < <P> | cat <F> > <P>
head | head -n 3 <P> | head -n3 <F> <P>
diff | diff <P> a | diff -r <P> src | diff --from-file=<P> a b | diff -N <P> <N> | diff -X<P> a b
grep | grep -r . <P> | grep -f <P> a | grep -R . <P> | grep t <P> | grep -f<P> . a | grep -e x --file=<P> a
rg | rg t <P> | rg -f <P> . | rg --no-ignore t <P> | rg -uu t <P> | rg t -g <P>
chmod | chmod 600 <P> | chmod --reference=<P> <F> | chmod -R u+x <P>
truncate | truncate -s 0 <P> | truncate -r <P> <N> | truncate -s1 <P>
base64 | base64 <P> | base64 -- <P>
xxd | xxd -p <P> | xxd <P> <N> | xxd a <P> | xxd -r <P> <F>
iconv | iconv -f utf8 <P> | iconv -o <P> a | iconv -o<P> a | iconv --output=<P> a
uniq | uniq <P> | uniq a <P>
shuf | shuf <P> | shuf -o <P> a | shuf -n1 --output=<P> a | shuf --random-source=<P> a
comm | comm <P> a
join | join <P> a
paste | paste <P> <F>
nl | nl <P>
od | od -c <P>
tac | tac <P>
m4 | m4 <P> | m4 -I <P> a | m4 -R <P>
bash | bash <P> | bash -n <P> | bash -c 'cat "$1"' x <P> | bash -c 'echo x > "$1"' x <P>
node --test | node --test <P> | node --test --test-reporter-destination=<P> --test-reporter=tap <N>
sqlite3 | sqlite3 <P> 'create table a(b)' | sqlite3 <N> '.read "<C>"' | sqlite3 <N> '.output "<C>"'
git add | git add <P> | git add -- <P> | git add -f <P> | git add --pathspec-from-file=<P> | git add <P>/f | git add --chmod=+x <P>
git commit | git commit -q --allow-empty -F <P> | git commit -q --allow-empty -F<P> | git commit -q --allow-empty --file=<P> | git commit -q --allow-empty -t <P> -m x | git commit -q --allow-empty -m x <P> | git commit -q --allow-empty -m <P> | git commit -aqF<P> | git commit -q --allow-empty --pathspec-from-file=<P> -m x | git commit -q --allow-empty -C <R> | git commit -q --allow-empty -m x --template=<P>
git tag | git tag -F <P> t1 | git tag -a -F<P> t1 | git tag t1 <R> | git tag -m <P> t1 | git tag <N> <R>
git merge | git merge -F <P> main | git merge <P> | git merge -m x <R>
git notes | git notes add -F <P> | git notes add -C <R> | git notes add -F<P> HEAD
git apply | git apply --directory=<P> new.diff | git apply <P> | git apply -p1 --directory <P> p.diff | git apply --include=<P> p.diff | git apply --build-fake-ancestor=<P> p.diff | git apply --unsafe-paths new.diff --directory=<P>
git push | git push -q <A> HEAD:refs/heads/x | git push -q <A> | git push -q --repo=<A> HEAD:refs/heads/x | git push -q --repo <A> --all | git push -q --mirror <A> | git push -q . <R>:refs/heads/y
git fetch | git fetch -q <A> | git fetch -q <A> HEAD | git fetch -q --multiple <A> <A> | git fetch -q <A> <R>:refs/heads/y | git fetch -q . <R>:refs/heads/y
git pull | git pull -q <A> HEAD | git pull -q <A> main
git clone | git clone -q <A> <N> | git clone -q <A> <P> | git clone -q --bare <A> <P> | git clone -q . <P> | git clone -q --reference <A> . <N> | git clone -q --separate-git-dir=<P> . <N> | git clone -q --template=<P> . <N> | git clone -q <A>
git remote | git remote add zz <A> | git remote add zz <A> -f | git remote set-url origin <A> | git remote show <A> | git remote add -f <N> <A>
git ls-remote | git ls-remote <A> | git ls-remote -q --upload-pack=git-upload-pack <A> | git ls-remote <P>
git archive | git archive -o <P> HEAD | git archive --output=<P> HEAD | git archive -o<P> HEAD | git archive --remote=<A> HEAD | git archive --remote=<A> --format=x HEAD | git archive --add-file=<P> HEAD | git archive HEAD <P> | git archive <R> | git archive HEAD:src --prefix=<P> | git archive --remote <A> HEAD | git archive --prefix=<P>/ --add-file=<P> HEAD
git format-patch | git format-patch -q -1 --root -o <P> | git format-patch -q -1 --root -o<P> | git format-patch -q -1 --root --output-directory=<P> | git format-patch -1 --root --stdout -- <P> | git format-patch -q -1 --root --suffix=<P> | git format-patch -q --root -1 --signature-file=<P> --stdout | git format-patch -q --root -1 --output=<P>
git restore | git restore <P> | git restore -s <R> <P> | git restore -s <R> -- <F> | git restore --staged <P> | git restore --source=<R> . | git restore --pathspec-from-file=<P>
git checkout | git checkout -q -- <P> | git checkout -q <R> -- <P> | git checkout -q <R> -- . | git checkout -q -b <N> | git checkout -q <P>
git reset | git reset -q <R> -- <P> | git reset -q <R> | git reset -q --hard <R>
git grep | git grep t -- <P> | git grep --no-index t <P> | git grep -f <P> | git grep t <R> | git grep -f<P> -- src | git grep --untracked t -- <P> | git grep -h t <R> -- src | git grep -O t <P> | git grep t <P>
git log | git log -p -- <P> | git log -1 -- <P> | git log --output=<P> | git log -p -1 <R> -- <P> | git log -L1,2:<P> | git log --format=%B <R> | git log -L/t/,+1:<P> | git log <P> | git log -p -G t --  :<P>
git show | git show <R>:<P> | git show <R> | git show :<P> | git show HEAD:./<P> | git show <R>:k.pem | git show <P> | git show HEAD:<P> | git show <R> -- <P> | git show :0:<P> | git show HEAD:secrets/../<P>
git diff | git diff --no-index <P> a | git diff <P> | git diff -- <P> | git diff --output=<P> | git diff <R> <R> | git diff HEAD:<P> HEAD:a | git diff -O<P> | git diff --no-index -- <F> <P> | git diff <P> <P> | git diff <R> -- <P> | git diff /dev/null <P> | git diff <R>:<P> a
git config | git config -f <P> a.b c | git config -f <P> -l | git config --file=<P> -l | git config -f<P> --get-regexp . | git config user.name <P> | git config --blob <R> -l | git config core.excludesFile <P> | git config commit.template <P> | git config branch.main.remote <A> | git config core.hooksPath <P> | git config include.path <P> | git config remote.origin.url <A> | git config blame.ignoreRevsFile <P> | git config core.attributesFile <P>
git hash-object | git hash-object -w <P> | git hash-object <P> | git hash-object -w --path=<P> a | git hash-object -w --no-filters <P> | git hash-object -w -- <P> | echo <P> BAR git hash-object -w --stdin-paths
git cat-file | git cat-file -p <R> | git cat-file blob <R> | git cat-file -p <R>:<P> | git cat-file --textconv HEAD:<P> | git cat-file -p :<P>
git blame | git blame --contents <P> a | git blame <P> | git blame --contents=<P> a | git blame -s a --ignore-revs-file <P> | git blame <R> -- <P> | git blame -S <P> a | git blame -s -L1,1 -- <P>
git annotate | git annotate <P> | git annotate -S<P> a
git worktree | git worktree add -q <P> | git worktree add -q -b <N> <P> | git worktree add -f <P> HEAD | git worktree move <P> <P> | git worktree add --detach <P> <R>
git submodule | git submodule add -q <A> <N> | git submodule add -q <A> <P> | git submodule add --reference <A> <A> <N> | git submodule add <A>
git bundle | git bundle create <P> HEAD | git bundle create -q <P> --all | git bundle verify <P> | git bundle unbundle <P> | git bundle create <N> <R>
git init | git init -q <P> | git init -q --separate-git-dir=<P> | git init -q --bare <P> | git init -q --template=<P> <N> | git init -q --template <P> --bare <N>
git mv | git mv <F> <P> | git mv <P> <N> | git mv -f -- <F> <P> | git mv -k <P> <P>
git rm | git rm -q <P> | git rm -q --cached <P> | git rm -rqf <P> | git rm -q --pathspec-from-file=<P>
git stash | git stash push -q -- <P> | git stash -q | git stash push -q --pathspec-from-file=<P> | git stash show -p <R> | git stash store <R>
git update-index | git update-index --add <P> | git update-index --cacheinfo 100644,<R>,<N> | git update-index --add --cacheinfo 100644 <R> <N> | git update-index --chmod=+x <P> | git update-index --force-remove <P>
git update-ref | git update-ref refs/heads/y <R> | git update-ref <P> HEAD | git update-ref refs/tags/<P> <R>
git symbolic-ref | git symbolic-ref refs/heads/<P> refs/heads/main | git symbolic-ref <P> refs/heads/x | git symbolic-ref refs/heads/y <P>
git branch | git branch <N> <R> | git branch -m <P> | git branch <P>
git merge-file | git merge-file <P> a b | git merge-file -p <P> a b | git merge-file a <P> b | git merge-file -p a a <P>
git read-tree | git read-tree <R> | git read-tree --prefix=x/ <R> | git read-tree --index-output=<P> HEAD | git read-tree -m -u <R> | git read-tree --prefix=<P> -u <R>
git checkout-index | git checkout-index -a --prefix=<P> | git checkout-index -f <P> | git checkout-index --prefix=<P>/ a | git checkout-index --temp <P>
git send-pack | git send-pack <A> HEAD:refs/heads/x | git send-pack --all <A>
git fetch-pack | git fetch-pack <A> HEAD | git fetch-pack --all <A>
git upload-pack | git upload-pack <A>
git receive-pack | git receive-pack <A>
git pack-objects | git pack-objects -q --all <P> | git pack-objects -q <P>
git index-pack | git index-pack <P> | git index-pack -o <P> <P> | git index-pack --keep <P>
git interpret-trailers | git interpret-trailers <P> | git interpret-trailers --in-place <P> | git interpret-trailers --trailer x:y --in-place <P>
git stripspace | git stripspace < <P>
git mailinfo | git mailinfo <P> <P> | git mailinfo <N> <N> < <P>
git mailsplit | git mailsplit -o<P> a | git mailsplit -o<N> <P>
git am | git am <P> | git am --directory=<P> p.diff | git am -q --patch-format=mbox <P>
git check-ignore | git check-ignore -v <P> | git check-ignore -v --no-index <P>
git ls-files | git ls-files -- <P> | git ls-files -X <P> -o | git ls-files --exclude-from=<P> -oi | git ls-files --with-tree=<R>
git ls-tree | git ls-tree -r <R> | git ls-tree HEAD <P> | git ls-tree HEAD:<P>
git rev-parse | git rev-parse HEAD:<P> | git rev-parse <R> | git rev-parse --resolve-git-dir <P>
git difftool | git difftool -y <P>
git request-pull | git request-pull HEAD <A>
git status | git status -s <P> | git status -- <P>
git clean | git clean -fdq <P> | git clean -fdxq -- <P> | git clean -fdq -e <P>
git bugreport | git bugreport -o <P> | git bugreport -s <P>
git diagnose | git diagnose -o <P>
git multi-pack-index | git multi-pack-index --object-dir=<P> write
git fsck | git fsck --lost-found | git fsck <P>
git cherry-pick | git cherry-pick <R>
git replace | git replace <R> <R> | git replace -f <R> <R> | git replace --convert-graft-file
git mktree | git mktree < <P>
git mktag | git mktag < <P>
git unpack-file | git unpack-file <R> | git unpack-file HEAD:<P>
git fast-export | git fast-export --export-marks=<P> HEAD | git fast-export HEAD -- <P> | git fast-export --import-marks=<P> HEAD
git fast-import | git fast-import --export-marks=<P> < /dev/null | git fast-import --quiet < <P>
git rev-list | git rev-list --objects <R> | git rev-list HEAD -- <P> | git rev-list HEAD --use-bitmap-index <P>
git shortlog | git shortlog HEAD | git shortlog --output=<P> HEAD
git verify-pack | git verify-pack -v <P>
git show-index | git show-index < <P>
git patch-id | git patch-id < <P>
git column | git column < <P>
git get-tar-commit-id | git get-tar-commit-id < <P>
git daemon | git daemon --log-destination=stderr --base-path=<P> --inetd < /dev/null
git | git -C <P> status | git -C <P> add . | git -C <P> init -q | git --work-tree=<P> checkout -f . | git --work-tree <P> add . | git --git-dir=<P> log | git --git-dir <A> gc | git -C <A> gc | git -C <P> commit -q --allow-empty -m x | git -C <F> -C <P> add . | git --git-dir=.git --work-tree=<P> restore . | git -C<P> status | git -c core.worktree=<P> checkout -f . | git -c core.hooksPath=<P> commit -q --allow-empty -m x | git -c commit.template=<P> commit -q --allow-empty -m x | git --exec-path=<P> log | git -C <P> show HEAD:f | git --namespace=<P> log | git -c blame.ignoreRevsFile=<P> blame a | git -c core.excludesFile=<P> status | git --attr-source=<P> status | git --super-prefix=<P>/ log | git -C <A> fsck
`;

interface Template {
  readonly rule: string;
  readonly command: string;
}

const BY_RULE: readonly (readonly Template[])[] = COMMANDS.trim()
  .split('\n')
  .map((line) => {
    const [rule = '', ...commands] = line.split(' | ');
    return commands.map((command) => ({
      rule,
      command: command.replaceAll('BAR', '|').replace(/ ;$/, String.raw` \;`),
    }));
  });

export interface RandomScript {
  /** The command before its operands are filled in. */
  readonly command: string;
  readonly rule: string;
  readonly script: string;
}

/** Returns a command of a rule that is chosen at random. `only` limits the choice to rules that start so. */
export function randomScript(
  known: Pick<Scope, 'names' | 'places' | 'choose' | 'isDenied'>,
  only = '',
): RandomScript {
  const { names, choose } = known;
  const { rule, command } = choose(choose(BY_RULE.filter(([first]) => first?.rule.startsWith(only))));
  const folder = choose([true, false, false, false, false, false]) ? choose(names.folders) : '';
  let before = folder === '' ? '' : `cd ${quoted(`./${folder}`, choose, 'd').text} && `;
  const up = folder === '' ? '' : '../'.repeat(folder.split('/').length);
  let count = 0;
  const script = command.replaceAll(/<([PNFAURC])>/g, (_, kind: string) => {
    const text = textOf(kind, { ...known, up });
    if (kind === 'C') return text;
    const isRelative = /[PNF]/.test(kind) && !path.isAbsolute(text);
    if (isRelative && choose([true, false, false, false, false, false, false, false]))
      return quotedHere(text, choose);
    const written = quoted(text, choose, `v${count++}`);
    before = `${written.before}${before}`;
    return written.text;
  });
  return { rule, command, script: `${before}${script}` };
}

interface Scope {
  readonly names: ProjectNames;
  readonly places: Places;
  readonly choose: Choose;
  /** The way from the folder of the command to the project. */
  readonly up: string;
  readonly isDenied: boolean;
}

function textOf(kind: string, scope: Scope): string {
  const { names, choose, up } = scope;
  switch (kind) {
    case 'P':
      return pathOf(scope);
    case 'N':
      return `${up}${choose(['', '', './', 'src/'])}${choose(['q', randomName(choose, new Set(names.files))])}`;
    case 'F':
      return choose([`${up}${choose(names.files)}`, `${up}./${choose(names.files)}`, `${up}a`, `${up}b`]);
    case 'A':
      return choose([repositoryOf(scope), repositoryOf(scope), addressOf(scope, repositoryOf(scope))]);
    case 'U':
      return addressOf(scope, pathOf(scope));
    case 'C':
      return codePathOf(scope);
    default:
      return revisionOf(scope);
  }
}

/** A path that the code of a program may contain as it is. */
function codePathOf(scope: Scope): string {
  while (true) {
    const text = pathOf(scope);
    if (!/['"\\\n&]/.test(text)) return text;
  }
}

const WAYS = ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'secret', 'plain'] as const;
const DENIED_WAYS = ['forbidden', 'secret', 'secret', 'secret', 'plain'] as const;

function pathOf(scope: Scope): string {
  const { names, choose, up, places, isDenied } = scope;
  const folder = choose(names.folders);
  const leads = choose(isDenied ? DENIED_WAYS : WAYS);
  const out = choose(['out', 'out/f', 'out/new', 'out/sub/g']);
  const steps = '../'.repeat(folder.split('/').length);
  const name = ((): string => {
    switch (leads) {
      case 'forbidden':
        return choose([
          choose(names.forbiddenFolders),
          `${choose(names.forbiddenFolders)}/${choose(['f', 'new', '.', '../f', 'sub', ''])}`,
          `${choose(names.forbiddenFolders)}/f`,
          choose(names.forbiddenFiles),
          `${folder}/${steps}../${out}`,
          `${folder}/${steps}${choose(['.npmrc', '.husky/f', '.git/config', '.git/hooks/new', '.vscode/new'])}`,
        ]);
      case 'secret':
        return choose([
          choose(names.secretFolders),
          `${choose(names.secretFolders)}/k.pem`,
          `${choose(names.secretFolders)}/f`,
          choose(names.secretFiles),
          `${folder}/${steps}secrets/${choose(['k.pem', 'f', ''])}`,
        ]);
      case 'plain':
        return choose([folder, choose(names.files), `${folder}/f`, `${folder}/new`]);
    }
  })();
  return choose([
    `${up}${name}`,
    `${up}${name}`,
    `./${up}${name}`,
    path.join(places.project, '/') + name,
    `${up}src/../${name}`,
  ]);
}

function repositoryOf({ names, choose, up, places }: Scope): string {
  const links = names.forbiddenFolders.map((name) => `${name}/r.git`);
  const name = choose([...names.repositories, ...links, `${choose(names.folders)}/../../out/r.git`]);
  const short = choose([name, name.replace(/\.git$/, '')]);
  return choose([`${up}${short}`, `./${up}${short}`, `${places.project}/${short}`]);
}

/** An address of a path, with percent codes for some of its characters. */
function addressOf({ places, choose, up }: Scope, name: string): string {
  const whole = path.isAbsolute(name)
    ? name
    : `${places.project}/${name.startsWith(up) ? name.slice(up.length) : name}`;
  const coded = Array.from(whole, (one) => {
    const isPlain = /[\w./-]/.test(one);
    if (!choose(isPlain ? [true, false, false, false, false, false, false] : [true, true, false])) return one;
    return Array.from(Buffer.from(one), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  }).join('');
  const start = choose(['file://', 'file://', 'file://localhost', 'file:', 'FILE://', 'file://127.0.0.1']);
  return `${start}${choose([coded, coded, whole])}`;
}

function revisionOf({ names, choose }: Scope): string {
  const number = choose(names.objects);
  return choose([
    'HEAD',
    'main',
    number,
    number.slice(0, 8),
    `x-g${number.slice(0, 8)}`,
    'HEAD:secrets',
    'HEAD^{tree}',
    'HEAD:secrets/k.pem',
    'HEAD:./secrets',
    `:secrets/k.pem`,
    ':/first',
    'HEAD^{/first}',
    'main@{0}:secrets',
    'refs/heads/main',
    `${number.slice(0, 8)}^{}`,
    '@',
    '@:secrets/k.pem',
    `HEAD:${choose(names.files)}`,
  ]);
}
