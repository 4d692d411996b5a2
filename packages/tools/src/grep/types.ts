/** File types by name, as ripgrep calls them: the common ones, for the walk that does without it. */
import { type FilePattern, filePattern } from './file-pattern.ts';

const TYPES: Readonly<Record<string, string>> = {
  c: '*.{c,h,H,cats}',
  cpp: '*.{C,H,cc,cpp,cxx,hh,hpp,hxx,inl}',
  cs: '*.cs',
  css: '*.{css,scss}',
  go: '*.go',
  html: '*.{htm,html,ejs}',
  java: '*.{java,jsp,jspx,properties}',
  js: '*.{js,jsx,vue,cjs,mjs}',
  json: '{*.json,composer.lock,*.sarif}',
  kotlin: '*.{kt,kts}',
  lua: '*.lua',
  md: '*.{markdown,md,mdown,mdwn,mdx,mkd,mkdn}',
  php: '*.{php,php3,php4,php5,php7,php8,pht,phtml}',
  py: '*.{py,pyi}',
  ruby: '{config.ru,Gemfile,.irbrc,Rakefile,*.gemspec,*.rb,*.rbw}',
  rust: '*.rs',
  sh: '*.{bash,bashrc,csh,cshrc,ksh,kshrc,sh,tcsh,tcshrc,zsh}',
  sql: '*.{sql,psql}',
  swift: '*.swift',
  toml: '{*.toml,Cargo.lock}',
  ts: '*.{ts,tsx,cts,mts}',
  txt: '*.txt',
  xml: '*.{xml,xml.dist,dtd,xsd,xsl,xslt,rng,sch,xhtml}',
  yaml: '*.{yaml,yml}',
};

export function patternOfType(type: string): FilePattern {
  const pattern = TYPES[type];
  if (pattern === undefined)
    throw new Error(`unrecognized file type: ${type}. Known: ${Object.keys(TYPES).join(', ')}`);
  return filePattern(pattern);
}
