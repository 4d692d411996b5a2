/**
 * The settings that do not make git run a program, write a file or open a connection when it reads: log,
 * show, diff, status, blame, grep, branch --list and similar. A setting that is not listed is not
 * harmless. Pure.
 */

/** No setting in these sections affects a command that only reads. */
const SECTIONS: ReadonlySet<string> = new Set(
  (
    'user author committer color advice init push pull fetch branch rebase rerere credential http gpg commit ' +
    'am add apply checkout clean clone column gc pack maintenance safe sequence versionsort i18n index interactive ' +
    'mergetool difftool notes pager mailmap sendemail gui gitk guitool help man web browser blame grep stash ' +
    'url alias feature lfs github gitlab hub gitflow delta magit gitbutler oh-my-zsh bash showbranch imap svn-remote ' +
    'worktree instaweb transfer receive fsck'
  ).split(' '),
);

const lists = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Names without a subsection. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'core',
    lists(
      'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf ' +
        'longpaths quotepath compression loosecompression sparsecheckout sparsecheckoutcone editor pager abbrev whitespace ' +
        'excludesfile attributesfile checkstat trustctime preloadindex untrackedcache commentchar commentstring fscache ' +
        'packedgitlimit packedgitwindowsize deltabasecachelimit bigfilethreshold hidedotfiles protecthfs protectntfs ' +
        'multipackindex commitgraph hookspath sshcommand askpass gitproxy notesref warnambiguousrefs createobject fsync ' +
        'fsyncmethod fsyncobjectfiles usereplacerefs checkroundtripencoding filesreflocktimeout packedrefstimeout ' +
        'maxtreedepth lockfilepid sharedrepository restrictinheritedhandles fsmonitorhookversion',
    ),
  ],
  [
    'diff',
    lists(
      'algorithm renames renamelimit mnemonicprefix noprefix srcprefix dstprefix context interhunkcontext statgraphwidth ' +
        'statnamewidth wordregex indentheuristic suppressblankempty tool guitool colormoved colormovedws relative orderfile ' +
        'autorefreshindex dirstat ignoresubmodules wserrorhighlight',
    ),
  ],
  [
    'log',
    lists(
      'abbrevcommit date decorate excludedecoration follow graphcolors initialdecorationset showroot mailmap',
    ),
  ],
  [
    'merge',
    lists('ff conflictstyle tool guitool log renames renamelimit stat verbosity autostash directoryrenames'),
  ],
  [
    'status',
    lists(
      'relativepaths short branch aheadbehind displaycommentprefix renamelimit renames showstash showuntrackedfiles ' +
        'usestatscolumns',
    ),
  ],
  [
    'format',
    lists(
      'signoff thread attach headers to cc from subjectprefix suffix coverletter signature outputdirectory',
    ),
  ],
  ['submodule', lists('active alternatelocation alternateerrorstrategy fetchjobs propagatebranches')],
  ['remote', lists('pushdefault')],
  ['tag', lists('gpgsign forcesignannotated')],
  ['protocol', lists('version')],
]);

/** Names behind a subsection. */
const NAMES_BEHIND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'remote',
    lists(
      'url pushurl fetch push tagopt mirror prune prunetags skipdefaultupdate skipfetchall gh-resolved glab-resolved proxy',
    ),
  ],
  ['submodule', lists('url active branch update ignore path shallow fetchrecursesubmodules')],
  ['diff', lists('xfuncname funcname binary wordregex algorithm cachetextconv')],
  // Drivers only run in a merge, which `log --remerge-diff` would be: that option and its setting are not allowed.
  ['merge', lists('name driver recursive')],
]);

const isOff = (value: string): boolean => /^(|false|no|off|0)$/i.test(value);
/** A key such as `signature` or `%(signature)` starts a program that checks it. */
const asksForSignature = (value: string): boolean => /%[-+ ]?G|signature/i.test(value);
const isPlainSort = (value: string): boolean => /^-?[\w:.*=,-]+$/.test(value) && !asksForSignature(value);

/** Settings that are harmless only with some values. */
const VALUES: ReadonlyMap<string, (value: string) => boolean> = new Map<string, (value: string) => boolean>([
  ['core.fsmonitor', isOff],
  ['core.splitindex', isOff],
  ['log.showsignature', isOff],
  [
    'log.diffmerges',
    (value) => /^(off|none|on|m|c|cc|1|first-parent|separate|combined|dense-combined)$/.test(value),
  ],
  ['status.submodulesummary', isOff],
  ['submodule.recurse', isOff],
  ['diff.submodule', (value) => value === 'short'],
  ['format.pretty', (value) => !asksForSignature(value)],
  ['branch.sort', isPlainSort],
  ['tag.sort', isPlainSort],
  ['extensions.objectformat', (value) => /^sha(1|256)$/.test(value)],
  ['extensions.refstorage', (value) => /^(files|reftable)$/.test(value)],
  ['extensions.worktreeconfig', () => true],
  ['extensions.relativeworktrees', () => true],
  ['extensions.preciousobjects', () => true],
  ['extensions.noop', () => true],
]);

/**
 * `value` undefined: written without one, which means true. Settings that name another file with settings are harmless in
 * themselves; the reader of the files follows them.
 */
export function isHarmlessSetting(key: string, value = 'true'): boolean {
  const by = VALUES.get(key);
  if (by) return by(value);
  const section = key.slice(0, key.indexOf('.'));
  const name = key.slice(key.lastIndexOf('.') + 1);
  const isPlain = key.length === section.length + 1 + name.length;
  if (section === 'pretty') return isPlain && !asksForSignature(value);
  if (section === 'remote' && name === 'promisor') return !isPlain && isOff(value);
  if (/^include(if)?$/.test(section)) return name === 'path';
  return SECTIONS.has(section) || ((isPlain ? NAMES : NAMES_BEHIND).get(section)?.has(name) ?? false);
}

/** Variables for git that do not change which programs a reading command runs, nor which repository it finds. */
const VARIABLES =
  /^GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|EDITOR|SEQUENCE_EDITOR|PAGER|PAGER_IN_USE|TERMINAL_PROMPT|ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|OPTIONAL_LOCKS|NO_LAZY_FETCH|ALLOW_PROTOCOL|PROTOCOL|PROTOCOL_FROM_USER|CONFIG_NOSYSTEM|CONFIG_GLOBAL|CONFIG_SYSTEM|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|MERGE_AUTOEDIT|LFS_SKIP_SMUDGE|PS1_\w+|FLUSH|ADVICE|HTTP_\w+|SSL_\w+|BRANCH|COMMIT|URL|SHA|TAG)$/;

export function isHarmlessVariable(name: string): boolean {
  return !name.startsWith('GIT_') || VARIABLES.test(name);
}
