/**
 * Code for sqlite3 and duckdb. Some functions read files whose names they compute, and some commands with a dot write files. So only
 * functions and commands on a list count as harmless.
 */
import type { ShellRedirection, ShellWord } from '@heddle/tools/shell';
import { type Touch, touch, unknownWord } from './files/touch.ts';
import { baseName, likelyTails } from './runners.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const FUNCTIONS = words(
  'abs avg bit_and bit_count bit_or bit_xor bool_and bool_or ceil ceiling changes char char_length chr coalesce concat concat_ws contains ' +
    'count current_date current_time current_timestamp date date_add date_diff date_part date_sub date_trunc datediff datepart datetime ' +
    'datetrunc day dayname dayofweek dayofyear decode degrees dense_rank encode ends_with epoch epoch_ms exp extract first first_value ' +
    'format generate_series glob greatest group_concat hex highlight hour if ifnull iif instr isfinite isnull jaccard json ' +
    'json_array json_array_length json_each json_error_position json_extract json_extract_string json_group_array json_group_object ' +
    'json_insert json_keys json_object json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type ' +
    'json_valid jsonb jsonb_extract julianday lag last last_day last_insert_rowid last_value lcase lead least left len length like ' +
    'likelihood likely list list_aggregate list_contains list_filter list_sort list_transform list_value ln log log10 log2 lower lpad ' +
    'ltrim make_date max median md5 microsecond min minute mod mode month monthname nth_value ntile now nullif octet_length ' +
    'percent_rank pi position pow power printf quantile quantile_cont quarter quote radians random randomblob range rank regexp ' +
    'regexp_extract regexp_full_match regexp_matches regexp_replace repeat replace reverse right round row_number rowid rpad rtrim ' +
    'second sha256 sign similarity snippet bm25 soundex split split_part sqlite_source_id sqlite_version sqrt starts_with stddev ' +
    'stddev_pop stddev_samp str_split strftime string_agg string_split strip strlen strptime struct_pack substr substring subtype ' +
    'sum time timediff to_timestamp today total total_changes translate trim trunc try_cast typeof ucase unhex unicode unistr ' +
    'unixepoch unlikely unnest upper uuid var_pop var_samp variance version week weekday year zeroblob ' +
    'pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list ' +
    'pragma_database_list pragma_function_list pragma_compile_options fts3 fts4 fts5 rtree',
);
/** Words before a parenthesis that are no functions: keywords, and types of columns. */
const KEYWORDS = words(
  'select from where and or not in exists as on using join inner outer cross natural values set by having union all except intersect ' +
    'distinct case when then else over filter within partition order limit offset returning check key unique primary default ' +
    'references foreign constraint generated always stored virtual with recursive materialized between is collate cast if do any ' +
    'varchar character nchar nvarchar text int integer smallint bigint tinyint decimal numeric real double float boolean blob ' +
    'timestamp interval struct map array enum conflict rows group explain exclude columns lambda',
);
/** Tables of functions, which also get their words in `where`, and modules that may read a file. */
const FILE_TABLES = /\b(?:fsdir|lsdir|zipfile)\b|\busing\s+(?!(?:fts[345]|rtree|generate_series)\b)\w/i;
/** Duckdb has statements that read and write files, or bring other functions. */
const STATEMENTS = /\b(?:copy|import|export|install|load|attach|pragma|set)\s|\$\$|\be'/i;
/** Duckdb reads a file in the place of a table. */
const TABLE_IN_QUOTES =
  /\b(?:from|join|into|describe|summarize)\s*\(?\s*(?:'|"[^"]*[./*?])|,\s*'[^']*'\s*(?:,|;|$|where\b)/i;
const PRINTING =
  /^\s*\.(?:ta\w*|schema?|fullschema|he\w*|mode|dump|ind\w*|databases|width|nullvalue|print|timer|q\w*|exit|show|separator|changes|echo|bail|timeout|eqp|explain|stats|lint|limits?|dbinfo|version|shell?|she|sh|system|sys|maxrows|columns|rows|prompt|sha3sum|parameter)\b[^|]*$/i;
const CALL = /(["`]?)([A-Za-z_][\w$]*)(?![\w$])\1\]?\s*\(/g;
/** Comments, texts and names. In sqlite3, brackets are quotes of a name. */
const TOKEN = /--[^\n]*|\/\*.*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`/gs;
const TOKEN_OR_BRACKETS = new RegExp(`${TOKEN.source}|\\[[^\\]]*\\]`, 'gs');

/** Returns an access to unknown files, if code for a database may open a file whose name is not a word. */
export function unknownSqlTouches(
  given: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): readonly Touch[] {
  const isOpen = [given, ...likelyTails(given)].some(([name, ...args]) => {
    const program = baseName(name?.value ?? '');
    if (!/^(sqlite3?|duckdb)$/.test(program)) return false;
    const inputs = redirections.flatMap((redirection) => {
      if (redirection.kind === 'here_doc') return [redirection.body];
      return redirection.kind === 'here_string' ? [redirection.target.value] : [];
    });
    const texts = [...args.map(({ value }) => value).filter((value) => /[\s(]|^\./.test(value)), ...inputs];
    return args.some(({ kind }) => kind === 'dynamic') || texts.some((text) => mayOpenFile(text, program));
  });
  return isOpen
    ? [touch('read', unknownWord('the files of a query'), undefined, { knowledge: 'named' })]
    : [];
}

function mayOpenFile(text: string, program: string): boolean {
  const lines = text.split('\n');
  const isCommand = (line: string): boolean => /^\s*\.[a-z]/i.test(line);
  if (lines.some((line) => isCommand(line) && !PRINTING.test(line))) return true;
  // A line with a dot can also be a part of a text.
  const code = lines.filter((line) => !isCommand(line)).join('\n');
  return mayCodeOpenFile(code, program) || (code !== text && mayCodeOpenFile(text, program));
}

function mayCodeOpenFile(code: string, program: string): boolean {
  const isDuck = program === 'duckdb';
  if (isDuck && (TABLE_IN_QUOTES.test(code) || STATEMENTS.test(code))) return true;
  const bare = code.replace(isDuck ? TOKEN : TOKEN_OR_BRACKETS, (token) => {
    if (token.startsWith("'")) return "''";
    return /^[-/]/.test(token) ? ' ' : token;
  });
  if (FILE_TABLES.test(bare)) return true;
  return Array.from(bare.matchAll(CALL)).some(({ 0: call, 2: name = '', index }) => {
    const [before, after] = [bare.slice(0, index), bare.slice(index + call.length)];
    const isKnown = FUNCTIONS.has(name.toLowerCase()) && !(isDuck && /^glob$/i.test(name));
    return !isKnown && !KEYWORDS.has(name.toLowerCase()) && !isTable(before, after);
  });
}

/** `insert into t(a)`, `create table t(a)`, `create index i on t(a)`, `with t(a) as (…)`. */
function isTable(before: string, after: string): boolean {
  if (/\b(?:into|table|table\s+if\s+not\s+exists|references)\s+(?:\w+\.)?$/i.test(before)) return true;
  if (/\bcreate\s+(?:unique\s+)?index\b[^;(]*\bon\s+$/i.test(before)) return true;
  const start = before.trimEnd();
  const isNext = start.endsWith(',') && /\w,$|\bwith\b/i.test(start);
  return (isNext || /\b(?:with|recursive)$/i.test(start)) && /^[\w\s,"]*\)\s*as\b/i.test(after);
}
