/** Commands of git that are not proven. */
import { lines } from './lines.ts';

export const GIT_NEVER: readonly string[] = lines(`
git log --format='%+G?'
git log --format='%-GG' -1
git log --pretty='tformat:% GK'
git show -s --format='%H%+GS'
git reflog --format='%+G?'
git rev-list --format='%+GP' HEAD
git
git foo
git var
git var -l
git var GIT_AUTHOR_IDENT
git var GIT_COMMITTER_IDENT
git -C . var GIT_AUTHOR_IDENT
git --no-pager var -l
git var GIT_EDITOR GIT_AUTHOR_IDENT
git var GIT_AUTHOR_IDENT GIT_EDITOR
git var 'GIT_AUTHOR_IDEN'T
git var GIT_AUTHOR_*
git var $X
git var "$X"
git var {GIT_AUTHOR_IDENT,}
git var -l GIT_EDITOR
git var GIT_NEW
git -c diff.external=x diff
git -c alias.log=x log
git --git-dir=evil log
git --work-tree=evil status
git --exec-path=evil log
git --paginate log
git --config-env=a=b log
git log --output=a
git log --outp=a
git log --ext-diff
git log --show-signature
git log --format=%G?
git log --pretty='%h %GS'
git for-each-ref --format='%(signature)'
git diff --output a
git diff --ext-diff
git diff --textconv
git grep -O foo
git grep -Oless foo
git grep --open-files-in-pager foo
git log *
git diff *
git diff -*
git log --form*
git log --format=%*
git branch a*
git tag v*
git st* list
git symbolic-ref HEAD refs/heads/x
git symbolic-ref -d HEAD
git symbolic-ref HE* a
git config set a b
git config get a b
git check-ignore --stdin
git reflog delete -5
git reflog expire
git cherry-pick a
git branch foo
git branch -d foo
git branch -D foo
git branch -m foo
git branch -a foo
git branch -u origin/main
git branch --edit-description
git branch --set-upstream-to=a
git tag v1
git tag -d v1
git tag -a v1
git tag -f v1
git stash
git stash pop
git stash drop
git reflog expire
git reflog delete
git worktree add a
git worktree prune
git remote add a b
git remote show origin
git remote update
git config user.name x
git config --unset a
git config --get a --add
git config --edit
git fetch
git pull
git push
git commit -m a
git checkout a
git reset
git clean -f
git add a
git describe --dirty
git cat-file --textconv a
git cat-file --batch
git archive HEAD
git bundle create a
git submodule status
git difftool
git bisect log
git apply a
git gc
git log > a
git log -- "$(rm a)"
cd evil && git log
git log | tee a
git -c core.fsmonitor=evil status
git -c core.pager=evil log
git -c pager.log=evil log
git -c gpg.program=evil log
git -c core.sshCommand=evil log
git -c credential.helper='!evil' log
git -c core.hooksPath=x diff
git -c include.path=x log
git -c includeIf.gitdir:/.path=x log
git -c alias.x='!evil' log
git -c diff.submodule=log diff
git -c core.attributesFile=x status
git -c pretty.x='%GS' log
git -c novalue log
git -c core.sshCommand
git -ccore.pager=x log
git -p log
git --bare log
git --namespace=x log
git --super-prefix=x/ log
git --attr-source=x log
git log --remerge-diff
git log --diff-merges=remerge -p
git show --submodule=diff
git log --alternate-refs
git diff --outp a
git diff --output-directory=a
git grep --open foo
git grep --textc foo
git grep --recurse-submodules foo
git branch --format --list new
git branch --sort --list new
git branch --contains --list new
git branch --points-at --list new
git branch --color new
git branch -v new
git branch --merged main new
git branch --lis new
git branch -l new
git branch --list=x new
git branch --no-list --list new
git branch --format x* --list new
git tag --format --list new
git tag --sort -l new
git tag --contains -l new
git tag -n new
git tag -n5 new
git tag --merged main new
git tag --column new
git tag --message x -l
git tag --file -l v1
git stash -- list
git stash push list
git reflog -n 5 expire
git reflog drop main
git remote -v add a b
git remote --verbose update
git remote set-url a b
git config --add user.name x
git config --global user.name x
git config --type=bool core.x y
git config --file x --get a.b
git config --get-color a.b
git config --replace-all a.b c
git config -e
git config --rename-section a b
git config a.b --global
git config a.b --local
git config a.b --null
git config a.b -z
git config a.b --path
git config a.b --bool
git config a.b --int
git config a.b --type=bool
git config a.b --includes
git config --local core.pager --path
git config --show-origin a.b --name-only
git -C src config a.b --worktree
git config a.b --list
git -c diff.autoRefreshIndex=true diff
git -c diff.autoRefreshIndex diff --stat
git -c diff.AUTOREFRESHINDEX=1 diff HEAD
git --no-pager -c diff.autorefreshindex=yes diff
git notes add
git notes list a b
git worktree list --expire x
`);

export const NOT_PROVEN_WITH_A_DRIVER: readonly string[] = lines(`
git log -p
git log -S foo
git log -G foo
git log -L1,5:a.ts
git log -U3
git log -c
git log --cc
git log --check
git log --word-diff
git log --find-object=x
git show
git diff
git status -v
git stash show
git stash list -p
git reflog -p
git rev-list -p HEAD
git blame a
git cherry main
git diff-tree HEAD
`);
