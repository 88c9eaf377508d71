import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { CopiedFile, InitAnswers, PlannedFile } from './answers.ts'
import { type ConfigFile, configFile } from './config-file.ts'
import { deployFiles, notDeployed } from './deploy-files.ts'
import { nextFiles, nextLayout } from './next-files.ts'
import { hostAmong, isModule, isSite, ownTarball, packageFile, startedFile } from './package-file.ts'
import { serverFile } from './server-file.ts'

/** Plan of a new site; nothing is written yet. */
export interface SitePlan {
  /** New or changed files. */
  readonly files: readonly PlannedFile[]
  /** Files that are copied as they are. */
  readonly copies: readonly CopiedFile[]
  /** Existing files with other contents, which would be lost. */
  readonly conflicts: readonly string[]
  /** Variables of `.env` that still need a value. */
  readonly variables: readonly string[]
  /** File with the options. */
  readonly config: string
  /** Example prices in that file, which the provider does not have. */
  readonly placeholders: readonly string[]
  /** Commands to run afterwards. */
  readonly commands: readonly string[]
  /** Address to open afterwards. */
  readonly address: string
}

/**
 * Plans the smallest site that sells, in an empty or existing folder. `packages` lists what the provider
 * needs besides ours; `domain` adds the files that run it on a server.
 */
export function planSite(
  folder: string,
  answers: InitAnswers,
  packages: readonly string[],
  domain: string | null = null,
): SitePlan {
  const read = readerOf(folder)
  const config = configFile(answers)
  const variables = [...config.variables, ...(answers.mails === 'smtp' ? ['SMTP_URL', 'MAIL_FROM'] : [])]
  const code = codeOf(folder, answers, config, {
    packageJson: read('package.json'),
    tsconfig: read('tsconfig.json'),
  })
  const [main = ''] = Object.keys(code)
  const start = `tsx ${variables.length > 0 ? '--env-file=.env ' : ''}${main}`
  const needed = [...packages, ...(answers.mails === 'smtp' ? ['nodemailer'] : [])]
  const name = nameOf(folder)
  const tarball = ownTarball()

  const deployed = domain === null ? {} : serverFiles({ name, domain, main, answers, variables })
  const ours = { ...code, ...deployed }
  const merged: Record<string, string> = {
    'package.json': packageFile(read('package.json'), answers, { packages: needed, start, name, tarball }),
    '.gitignore': withLines(read('.gitignore'), ['node_modules', 'data', '.env']),
    ...(domain === null ? {} : { '.dockerignore': withLines(read('.dockerignore'), notDeployed) }),
    ...(variables.length > 0 ? { '.env': withVariables(read('.env'), variables) } : {}),
    ...missing(folder, answers),
  }
  const files = changesOf(read, { ...ours, ...merged })
  return {
    files,
    copies: tarball === null ? [] : [{ from: tarball, path: basename(tarball) }],
    conflicts: conflictsAmong(files, ours),
    variables: unsetIn(merged['.env'] ?? '', variables),
    config: Object.keys(code).find((path) => path.startsWith('membership.config.')) ?? '',
    placeholders: config.placeholders,
    commands: ['npm install', answers.host === 'next' ? 'npm run dev' : 'npm start'],
    address: `http://localhost:3000${answers.host === 'next' ? '/join' : ''}`,
  }
}

/** Plans only the files that run an existing site on a server; null if there is no site in the folder. */
export function planDeployment(folder: string, domain: string, given: Partial<InitAnswers>): SitePlan | null {
  const read = readerOf(folder)
  const packageJson = read('package.json')
  if (packageJson === null || !isSite(packageJson)) return null
  const configs = ['ts', 'mts', 'js', 'mjs'].map((end) => read(`membership.config.${end}`) ?? '').join('\n')
  const answers = {
    host: given.host ?? hostAmong(packageJson) ?? 'node',
    database: given.database ?? (/postgres|DATABASE_URL/.test(configs) ? 'postgres' : 'sqlite'),
  }
  const main = startedFile(packageJson) ?? 'server.ts'
  const variables = [...(read('.env') ?? '').matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm)].map(
    ([, variable = '']) => variable,
  )
  const ours = serverFiles({ name: nameOf(folder), domain, main, answers, variables })
  const files = changesOf(read, {
    ...ours,
    '.dockerignore': withLines(read('.dockerignore'), notDeployed),
  })
  return {
    files,
    copies: [],
    conflicts: conflictsAmong(files, ours),
    variables: [],
    config: '',
    placeholders: [],
    commands: [`sh deploy/release.sh root@${domain}`],
    address: `https://${domain}`,
  }
}

/** Returns the files for one server, with the command that starts this site. */
function serverFiles(site: {
  readonly name: string
  readonly domain: string
  readonly main: string
  readonly answers: Pick<InitAnswers, 'host' | 'database'>
  readonly variables: readonly string[]
}): Record<string, string> {
  const { name, domain, main, answers, variables } = site
  const isNext = answers.host === 'next'
  const start = isNext
    ? ['node_modules/next/dist/bin/next', 'start']
    : /ts$/.test(main)
      ? ['--import', 'tsx', main]
      : [main]
  return deployFiles({ name, domain, database: answers.database, variables, start, isBuilt: isNext })
}

type Reader = (path: string) => string | null

function readerOf(folder: string): Reader {
  return (path) => {
    const file = join(folder, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
}

function changesOf(read: Reader, wanted: Record<string, string>): PlannedFile[] {
  return Object.entries(wanted)
    .map(([path, after]): PlannedFile => ({ path, before: read(path), after, isSecret: path === '.env' }))
    .filter(({ before, after }) => before !== after)
}

/** Files of our own with something else in them. */
function conflictsAmong(files: readonly PlannedFile[], ours: Record<string, string>): string[] {
  return files.filter(({ path, before }) => before !== null && path in ours).map(({ path }) => path)
}

interface Given {
  readonly packageJson: string | null
  readonly tsconfig: string | null
}

/** The code files by path; the file that starts the site comes first. */
function codeOf(
  folder: string,
  { host }: InitAnswers,
  config: ConfigFile,
  { packageJson, tsconfig: theirs }: Given,
): Record<string, string> {
  if (host === 'next') {
    const above = homeOfApp(folder)
    const files = Object.entries(nextFiles(config, `${above === '' ? '' : '../'}../membership.config`))
    return {
      ...Object.fromEntries(files.map(([path, text]) => [`${above}${path}`, text])),
      'membership.config.ts': config.text,
    }
  }
  const ending = isModule(packageJson) ? 'ts' : 'mts'
  // A compiler that writes files refuses imports that end in .ts.
  const isCompiled =
    theirs !== null && !/allowImportingTsExtensions|rewriteRelativeImportExtensions/.test(theirs)
  const imported = `./membership.config.${isCompiled ? ending.replace('ts', 'js') : ending}`
  return {
    [`server.${ending}`]: serverFile(host, config, imported),
    [`membership.config.${ending}`]: config.text,
  }
}

// Next uses src/app when there is no app/ at the top.
function homeOfApp(folder: string): string {
  return existsSync(join(folder, 'src/app')) && !existsSync(join(folder, 'app')) ? 'src/' : ''
}

/** Returns files that each site has once, in its own way. They are written only if they are missing. */
function missing(folder: string, { host }: InitAnswers): Record<string, string> {
  const home = homeOfApp(folder)
  const wanted: Record<string, string> =
    host === 'next' ? { [`${home}app/layout.tsx`]: nextLayout } : { 'tsconfig.json': tsconfig }
  const isThere = (path: string) =>
    existsSync(join(folder, path)) ||
    existsSync(join(folder, path.replace(/\.tsx$/, '.jsx'))) ||
    existsSync(join(folder, path.replace(/\.tsx$/, '.js')))
  return Object.fromEntries(Object.entries(wanted).filter(([path]) => !isThere(path)))
}

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'ES2023',
      module: 'NodeNext',
      types: ['node'],
      allowImportingTsExtensions: true,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['*.ts', '*.mts'],
  },
  null,
  2,
)}\n`

function withLines(before: string | null, wanted: readonly string[]): string {
  const there = new Set((before ?? '').split(/\r?\n/).map((line) => line.trim().replaceAll(/^\/|\/$/g, '')))
  return ending(
    before,
    wanted.filter((item) => !there.has(item)),
  )
}

function withVariables(before: string | null, names: readonly string[]): string {
  return ending(
    before,
    names
      .filter((name) => !new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(before ?? ''))
      .map((name) => `${name}=`),
  )
}

function ending(before: string | null, added: readonly string[]): string {
  if (added.length === 0) return before ?? ''
  const kept = before === null || before === '' || before.endsWith('\n') ? (before ?? '') : `${before}\n`
  return `${kept}${added.join('\n')}\n`
}

function unsetIn(text: string, names: readonly string[]): string[] {
  return names.filter((name) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=\\s*$`, 'm').test(text))
}

function nameOf(folder: string): string {
  return (
    basename(resolve(folder))
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'site'
  )
}
