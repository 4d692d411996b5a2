/** Options whose value is a text for people, or data for another machine. It names no place and is not run. */
import type { ShellWord } from '@heddle/tools/shell';

/** Long options mean the same in every program that has them. */
const LONG =
  /^--(message|title|body|description|notes?|subject|comment|text|reason|summary|msg|prompt|grep|author|label)$/;
/** Letters do not: `make -m -C../x` is an option behind an option. */
const SHORT: readonly (readonly [RegExp, RegExp])[] = [
  [/^(git|hg|jj|svn|glab|gh|tea|bd)$/, /^-a?m$/],
  [/^gh$/, /^-[tbF]$/],
  [/^git$/, /^-[SG]$/],
  [/^pytest$/, /^-[mk]$/],
  [
    /^(curl|wget|xh|http|https|gh|grpcurl|hurl)$/,
    /^-[HdXu]$|^--(header|data(-raw|-binary|-urlencode)?|json|user|request)$/,
  ],
];

/** `before`: the word before it. */
export function isMessage(program: string, { value, single }: ShellWord, before: string): boolean {
  // A word that may become several is more than the value.
  if (!single) return false;
  const takes = (option: string): boolean =>
    LONG.test(option) || SHORT.some(([programs, options]) => programs.test(program) && options.test(option));
  if (takes(before)) return true;
  const at = value.indexOf('=');
  if (value.startsWith('--') && at > 0) return takes(value.slice(0, at));
  // `-m"text of a commit"`.
  return /^-a?m\s*\S*\s/.test(value) && takes('-m');
}
