/**
 * The words of container programs that may name places on this machine. Only the position of a word makes it a place inside a
 * container: after the image of `docker run`, after `kubectl exec POD --`, `POD:/x` of `kubectl cp`, or the value of an
 * option of the container. All other words count as words of this machine.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { literalWord, partOfWord, wordInside } from './touch.ts';

const CLUSTERS = /^(kubectl|oc)$/;
const CONTAINERS = /^(docker|podman|nerdctl|buildah|docker-compose|podman-compose)$/;

/** Returns whether some words of the program may be places inside a container. */
export function namesContainerPlaces(program: string): boolean {
  return CLUSTERS.test(program) || CONTAINERS.test(program);
}

const MACHINES = /^(ssh|mosh|vagrant|multipass|lima|limactl)$/;

/** Returns whether the program runs commands on another machine or in a container, with some words. */
export function mayRunElsewhere(program: string): boolean {
  return namesContainerPlaces(program) || MACHINES.test(program);
}

/** Returns whether a command that the program runs is on another machine or in a container, and so changes no files here. */
export function runsElsewhere(program: string, args: readonly ShellWord[]): boolean {
  return mayRunElsewhere(program) && !runsInNamespace(program, args);
}

/** Returns whether a container program runs a command on this machine: `podman unshare`. Words after options may be their values. */
export function runsInNamespace(program: string, args: readonly ShellWord[]): boolean {
  if (!/^(podman|buildah)$/.test(program)) return false;
  const isCertain = args[0]?.kind === 'literal' && !args[0].value.startsWith('-');
  return (isCertain ? args.slice(0, 1) : args).some(({ value }) => value === 'unshare');
}

export function hostWords(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  return CLUSTERS.test(program) ? clusterWords(args) : containerWords(program, args);
}

/** Options without a value. Any other option counts as one with a value, so that more words belong to this machine. */
const FLAG =
  /^(-[ditPqDT]+|--(rm|init|privileged|read-only|detach|interactive|tty|stdin|publish-all|no-healthcheck|quiet|quiet-pull|oom-kill-disable|debug|tls|tlsverify|no-TTY|build|no-deps|service-ports|use-aliases|remove-orphans|replace|dry-run|compatibility|all-resources)|--[\w-]+=.*)$/s;
const TAKES_NEXT = /^(-[ditPqDT]*[a-zA-Z]|--[\w-]+)$/;
/** The value is in the same word: `-itv/etc:/x`. */
const ATTACHED = /^-[ditPqDT]*[aceflhmnpuvwH]./s;
/** Its value is one word if the name of the folder contains no space. */
const FOLDER_WORD = /^[\w=-]*\$(?:PWD|HOME|\{PWD\}|\{HOME\}|\(pwd\))[\w:./,=-]*$/;

function isOneWord({ kind, single, text }: ShellWord): boolean {
  return single || kind === 'tilde' || FOLDER_WORD.test(text);
}

/** Returns the index of the next word that is neither an option nor the value of one. Undefined if that is not certain. */
function nextOperand(args: readonly ShellWord[], from: number): number | undefined {
  for (let at = from; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || !isOneWord(word)) return undefined;
    const { value } = word;
    if (!value.startsWith('-')) return word.kind === 'literal' || /^[^-]/.test(word.begins) ? at : undefined;
    if (FLAG.test(value) || (ATTACHED.test(value) && !TAKES_NEXT.test(value))) continue;
    const next = args[++at];
    if (!TAKES_NEXT.test(value) || next === undefined || !isOneWord(next)) return undefined;
  }
  return undefined;
}

/** Returns the words without the values of options that contain data. */
function withoutData(words: readonly ShellWord[], data: RegExp): readonly ShellWord[] {
  return words.filter(({ value }, index) => {
    if (data.test(value)) return false;
    const before = words[index - 1]?.value ?? '';
    return value.startsWith('-') || before.includes('=') || !data.test(before);
  });
}

/** A file in a container, or in a pod of a namespace. */
const REMOTE_FILE = /^\w[\w.-]*(\/[\w.-]+)?:/;

/** Returns the words of this machine, and the names of files from a container in the folder that they are copied to. */
function copiedWords(args: readonly ShellWord[]): readonly ShellWord[] {
  const isRemote = ({ value }: ShellWord): boolean => REMOTE_FILE.test(value);
  const target = args.findLast(({ value }) => !value.startsWith('-'));
  const names = target === undefined || isRemote(target) ? [] : args.filter(isRemote);
  return [
    ...args.filter((word) => !isRemote(word)),
    ...names.flatMap((word) =>
      target ? [wordInside(target, partOfWord(word, word.value.replace(REMOTE_FILE, '')))] : [],
    ),
  ];
}

const CONTAINER_DATA =
  /^(-[ditPqDT]*[ew]|-w\/.*|-e[A-Z_a-z]\w*=.*|--(env|workdir|tmpfs|entrypoint|health-cmd|annotation|label|build-arg)(=.*)?)$/s;

function containerWords(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  let verb = nextOperand(args, 0);
  const group = verb === undefined ? '' : (args[verb]?.value ?? '');
  const isCompose = program.endsWith('-compose') || group === 'compose';
  if (verb !== undefined && /^(compose|container|service)$/.test(group)) verb = nextOperand(args, verb + 1);
  const name = verb === undefined ? '' : (args[verb]?.value ?? '');
  if (name === 'cp') return copiedWords(args);
  const isRun = (isCompose ? /^(run|exec)$/ : /^(run|exec|create)$/).test(name);
  if (verb === undefined || !isRun)
    return withoutData(args, /^--(label|build-arg)(=.*)?$/s).flatMap((word) => withRoot(word, word.value));
  const image = nextOperand(args, verb + 1);
  if (image === undefined) return args;
  const own = args.slice(0, image + 1);
  const options = withoutData(own.slice(verb + 1), CONTAINER_DATA);
  return [...own.slice(0, verb + 1), ...options.flatMap((word, at) => boundPlace(word, options[at - 1]))];
}

/** An option for a bind, perhaps with its value in the same word: `-itv.:/x`, `-v=.:/x`, `--mount=…`. */
const BIND = /^(?:-[ditPqDT]*v=?|--volume(?:=|$)|--(mount|mount-add)(?:=|$))(.*)$/s;
const BIND_TARGET = /^(?:target|dst|destination)=/i;

interface Bind {
  readonly isMount: boolean;
  /** `here:there`, or settings such as `type=bind,source=here,target=there`. */
  readonly text: string;
}

/** Returns the bind in a word, which may be the value of the option before it. */
function bindOf({ value }: ShellWord, before: ShellWord | undefined): Bind | undefined {
  const [, mount, attached = ''] = BIND.exec(value) ?? [];
  if (attached !== '') return { isMount: mount !== undefined, text: attached };
  const open = BIND.exec(before?.value ?? '');
  return open && open[2] === '' ? { isMount: open[1] !== undefined, text: value } : undefined;
}

/** Returns the places on this machine that a bind names. A setting can be in quotes. */
function sourcesOf({ isMount, text }: Bind): readonly string[] {
  if (!isMount) return [text.replace(/:.*$/s, '')];
  return text
    .split(',')
    .map((setting) => setting.replace(/["']/g, ''))
    .filter((setting) => setting.includes('=') && !BIND_TARGET.test(setting))
    .map((setting) => setting.slice(setting.lastIndexOf('=') + 1));
}

/** Returns the places on this machine that options for binds name, as separate words. */
export function boundSources(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.flatMap((word, at) => sourceWords(word, bindOf(word, args[at - 1])));
}

function sourceWords(word: ShellWord, bind: Bind | undefined): readonly ShellWord[] {
  const sources = bind ? sourcesOf(bind) : [];
  return sources.filter((source) => source !== '').map((source) => partOfWord(word, source));
}

/** In `-v here:there` and `source=here,target=there`, the second path is inside the container. */
function boundPlace(word: ShellWord, before: ShellWord | undefined): readonly ShellWord[] {
  const bind = bindOf(word, before);
  const isVolume = bind?.isMount === false;
  const place = isVolume ? bind.text.replace(/^([^:,]*):\/.*$/, '$1') : word.value;
  return [
    ...withRoot(word, place.replace(/["']?,?["']?(target|dst|destination)=[^,]*/gi, '')),
    ...sourceWords(word, bind),
  ];
}

/** In a list of settings, one of them can be the root folder: `type=bind,"src=/"`, `-odevice=/..`. */
function withRoot(word: ShellWord, value: string): readonly ShellWord[] {
  const isRoot = /=\.*\/[/.]*(?:,|$)/.test(value.replace(/["']/g, ''));
  return [{ ...word, value, text: value }, ...(isRoot ? [literalWord('/')] : [])];
}

/** Values for the cluster. */
const CLUSTER_DATA =
  /^(-[pl]|--(patch|overrides|env|annotations|labels|selector|raw|template|field-selector|from-literal)(=.*)?)$/s;

function clusterWords(args: readonly ShellWord[]): readonly ShellWord[] {
  const verb = nextOperand(args, 0);
  const name = verb === undefined ? '' : (args[verb]?.value ?? '');
  const end = args.findIndex(({ value }) => value === '--');
  const last = args[end - 1];
  // Otherwise it is the value of an option: `kubectl exec -n -- pod`.
  const isEnd = last !== undefined && (/^[^-]/.test(last.begins) || FLAG.test(last.value));
  const isRun = /^(exec|run|debug|create|rsh)$/.test(name) && verb !== undefined && end > verb && isEnd;
  const own = withoutData(isRun ? args.slice(0, end) : args, CLUSTER_DATA);
  if (name === 'cp') return copiedWords(own);
  if (!/^(set|annotate|label)$/.test(name)) return own;
  // The other words are data. A word after an option may be its value.
  return own.filter(({ value }, at) => {
    const before = own[at - 1]?.value ?? '';
    return value.startsWith('-') || (/^-[^=]*$/.test(before) && !FLAG.test(before));
  });
}
