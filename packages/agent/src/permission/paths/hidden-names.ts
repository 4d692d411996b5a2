/**
 * The hidden names of a project that acceptEdits may change. Programs load hidden files without being asked to, by more names than the
 * list of protected places can contain. So a hidden name that is on no list asks, and an Edit rule for it settles that.
 */
import type { FilePart } from '../part.ts';
import type { PermissionWorld } from '../world.ts';
import { type FilePlace, isAtOrBelow, knownEntries, onceFor, workingFolders } from './places.ts';
import { foldCase } from './protected.ts';

/**
 * Names without their dot, in lower case. `*` at the end matches further parts of a name, which begin with `.`, `-` or `_`, or are `rc`. A name is
 * ordinary if only a command of the user or a service reads it: a test, a linter, a build, a pipeline. It is not if a shell, an editor, version
 * control or another agent does.
 */
const ORDINARY: readonly string[] = [
  // Ignored names, folders without files, notes about people and commits.
  '*ignore keep gitkeep hgkeep empty placeholder nojekyll version versions git-blame-ignore-revs gitmessage* mailmap codeowners',
  // Variables of the project.
  'env* envs flaskenv',
  // Formatters, linters and checks.
  'editorconfig eslintrc* prettierrc* stylelintrc* biome* oxlintrc* oxfmtrc* dprint* jshintrc jscsrc tslint* standard* xo-config* markdownlint* markdownlintrc ' +
    'remarkrc* textlintrc* mdlrc mdl_style* vale.ini proselintrc* cspell* codespell* typos.toml _typos.toml alexrc* htmlhintrc htmlvalidate* csslintrc csscomb* ' +
    'sass-lint* scss-lint* commitlintrc* gitlint czrc cz.* versionrc* bumpversion* depcheckrc* madgerc dependency-cruiser* knip* syncpackrc* ncurc* secretlintrc* ' +
    'jscpd* size-limit* bundlewatch* lighthouserc* pa11yci* linkinator* lychee* mlc_config* licenserc* license* licensee* reuse yamllint* yamlfmt* taplo.toml ' +
    'hadolint* dockerfilelintrc dive-ci ansible-lint* tflint* terraform-docs* terraform.lock.hcl checkov* gitleaks* trivy* semgrep* snyk bandit* ' +
    'flake8 pylintrc pycodestyle pydocstyle* isort.cfg style.yapf ruff.toml mypy.ini pytype* pytest.ini noserc coveragerc importlinter docformatter* ' +
    'rspec rspec_* rubocop* reek* erb-lint* erb_lint* haml-lint* slim-lint* simplecov* yardopts rdoc_options undercover rubycritic* ' +
    'golangci* goreleaser* air.toml mockery* ko.yaml revive* rustfmt.toml clippy.toml cargo_vcs_info.json clang-format clang-tidy cmake-format* ' +
    'cmakelintrc cppcheck* astylerc uncrustify* gersemirc iwyu* scalafmt.conf scalafix.conf ktlint* detekt* checkstyle* swiftlint* swiftformat swift-format ' +
    'swift-version* periphery.yml php-cs-fixer* php_cs* phpcs* phpunit* phpstan* psalm* styleci.yml formatter.exs credo.exs dialyzer* sobelow-conf hlint.yaml stylish-haskell.yaml ' +
    'fourmolu.yaml ormolu luacheckrc luacov stylua.toml perltidyrc perlcriticrc proverc lintr sqlfluff* buf* protolint* spectral* redocly* vacuum* bettercodehub* ' +
    'pmd* dartdoc* verible* svlint* shellcheckrc pre-commit-hooks.yaml ' +
    'solhint* cfnlintrc* ocamlformat* flowconfig puppet-lint.rc jsbeautifyrc* fixtures.yml crowdin.yml sqlx detoxrc*',
  // Builds, tests and packages.
  'justfile babelrc* swcrc* browserslistrc postcssrc* sassrc* parcelrc terserrc* esbuild* mocharc* nycrc* c8rc* taprc* avarc jestrc* jasmine* karma* cypress* ' +
    'storybook playwright* vitest* testcaferc* nightwatch* percy* loki* backstop* jsdoc* typedoc* esdoc* lintstagedrc* release-it* releaserc* release-please* ' +
    'sequelizerc mikro-orm* graphqlrc* graphqlconfig* openapi-generator* swagger-codegen* watchmanconfig bowerrc jamrc npmpackagejsonlintrc* package-lock.json ' +
    'changeset changes changelog* chglog newsfragments towncrier* docker dockerfile* dockerenv* helm* chart* molecule ' +
    'ember-cli* angular-cli* meteor ionic* expo* flutter* dart_tool packages pub-cache',
  // Pipelines, reviews and services of the repository.
  'github gitlab gitlab-ci* circleci travis* drone* woodpecker* buildkite appveyor* azure* semaphore cirrus* gitea forgejo tekton builds build.yml teamcity ' +
    'concourse* harness dagger* earthly* codecov* coveralls* codeclimate* codacy* deepsource* sonar* sourcery* fossa* lgtm* mergify* kodiak* probot* restyled* ' +
    'pullapprove* coderabbit* pr_agent* dependabot* renovaterc* pyup* greenkeeper* whitesource* imgbotconfig stale* all-contributorsrc zenodo* citation* ' +
    'readthedocs* gitbook* netlify* vercel* now* wrangler* firebaserc firebase serverless* sst amplify elasticbeanstalk ebextensions platform* do render* ' +
    'railway* fly* heroku* buildpacks* slug* s2i openshift* skaffold* devspace* werf* okteto* htaccess htpasswd well-known',
  // Documents, examples and data.
  'docs doc notes adr templates template snippets examples fixtures snapshots assets images data static public vuepress vitepress docusaurus mkdocs* jekyll-metadata',
  // Results and caches of builds and tests.
  'cache next nuxt output svelte-kit astro parcel-cache turbo nx vite vinxi tanstack webpack rollup* rpt2_cache* tsbuildinfo pnpm* pytest_cache mypy_cache ruff_cache ' +
    'coverage* nyc_output hypothesis eslintcache stylelintcache sass-cache prettiercache ipynb_checkpoints scannerwork gradle kotlin build dist stack-work ' +
    'jekyll-cache tmp temp trash ds_store deps libs obj *.tmp *.bak *.log *.pid *.lock',
].flatMap((names) => names.split(' '));

const exact = new Set(ORDINARY.filter((name) => !name.includes('*')));
const begins = ORDINARY.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
const ends = ORDINARY.filter((name) => name.startsWith('*')).map((name) => name.slice(1));

const FURTHER_PARTS = /^(?:rc)?(?:$|[-._])/;

/** A folder with the settings of this agent. The list of protected places decides about everything in it. */
const OWN = /^(?:claude|heddle)$/;

const DOCUMENT = String.raw`.*\.(?:md|txt|ya?ml|svg|png|jpe?g|gif)`;
/** The ordinary names in folders of services. Agents and editors load others: `.github/mcp.json`. */
const IN_SERVICES: ReadonlyMap<string, RegExp> = new Map([
  [
    'github',
    new RegExp(
      `^(?:workflows|actions|workflow-templates|(?:issue|pull_request|discussion)_template|instructions|linters|scripts|images|assets|docs|` +
        `codeowners|(?:renovate|dependabot|release-drafter|labeler)\\..*|${DOCUMENT})$`,
    ),
  ],
  ['gitlab', new RegExp(`^(?:ci|issue_templates|merge_request_templates|codeowners|${DOCUMENT})$`)],
]);

function isOrdinary(name: string, next?: string): boolean {
  const rest = foldCase(name).slice(1);
  if (next !== undefined && IN_SERVICES.get(rest)?.test(foldCase(next)) === false) return false;
  return (
    exact.has(rest) ||
    OWN.test(rest) ||
    begins.some((begin) => rest.startsWith(begin) && FURTHER_PARTS.test(rest.slice(begin.length))) ||
    ends.some((end) => rest.endsWith(end))
  );
}

function isHidden(name: string): boolean {
  return foldCase(name).startsWith('.');
}

/** Returns the first hidden name of a path, below its working directory, that is on no list. */
function unlistedIn(file: string, world: PermissionWorld): string | undefined {
  const around = workingFolders(world).filter((root) => isAtOrBelow(file, root));
  const [nearest = '/'] = around.toSorted((one, other) => other.length - one.length);
  const names = file.slice(nearest === '/' ? 1 : nearest.length + 1).split('/');
  return names.find((name, at) => isHidden(name) && !isOrdinary(name, names[at + 1]));
}

/** The places to which links with such names lead in the working directories. One around a working directory does not count. */
const unlistedTargets = onceFor((world) => {
  const roots = workingFolders(world);
  return roots.flatMap((root) =>
    knownEntries(root, world)
      .filter(({ name, kind }) => kind === 'link' && isHidden(name) && !isOrdinary(name))
      .map(({ name }) => ({ name, target: world.realpath(`${root}/${name}`) }))
      .filter(({ target }) => !roots.some((folder) => isAtOrBelow(folder, target))),
  );
});

/** Returns a hidden name that is on no list, and that a change would make or change. Removing one runs nothing. */
export function unlistedName(part: FilePart, world: PermissionWorld): string | undefined {
  if (part.kind !== 'write') return undefined;
  const { places = [], glob, below } = part;
  const found = glob?.found(glob.optioned) ?? [];
  const written: readonly FilePlace[] = [...places, ...found];
  const files = [...written.flatMap((place) => [place.path, place.real]), ...(below?.()?.paths ?? [])];
  const targets = unlistedTargets(world);
  for (const file of files) {
    const name = unlistedIn(file, world) ?? targets.find(({ target }) => isAtOrBelow(file, target))?.name;
    if (name !== undefined) return name;
  }
  return undefined;
}
