import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { applyEdits, type Edit } from '../../migrate/edits.ts'
import { hashOf } from '../../migrate/hash.ts'
import { missingLines, packageEdits } from '../../migrate/package-edits.ts'
import type { CreatedFile, FileChange, Part, WritablePlan } from '../../migrate/plan.ts'
import { toSource } from '../../migrate/source.ts'
import {
  type CodeLanguage,
  configFile,
  type InitAnswers,
  ownManifest,
  ownTarball,
  type PlannedFile,
} from '../init/index.ts'
import { type FrameworkHost, frameworkParts } from './framework-parts.ts'
import type { ServerHost } from './host-file.ts'
import type { EditedFile, Example, HostParts, Left, Shape } from './parts.ts'
import type { AppPlace } from './places.ts'
import { type AddHost, addHosts, hostsOf, type PackageManager, type Project, readProject } from './project.ts'
import { findApp, isCommonJs, mountLines, serverParts } from './server-parts.ts'

/** Answers of the flags of `membership add`. */
export interface AddAnswers extends Omit<InitAnswers, 'host' | 'index'> {
  /** undefined lets the project's packages decide. */
  readonly host?: AddHost
  /** File that makes the application; found automatically by default. */
  readonly entry?: string
  /** Packages that the provider needs besides ours. */
  readonly packages: readonly string[]
}

/** Everything that `add` would do to a project; nothing is written yet. */
export interface AddPlan {
  readonly root: string
  readonly host: AddHost
  readonly packageManager: PackageManager
  /** New and changed files before and after, for the diff. */
  readonly files: readonly PlannedFile[]
  /** Tarball of this package that is copied into the project; null if a registry has it. */
  readonly copied: string | null
  /** The same for the journal. */
  readonly writable: WritablePlan
  /** The code that a person has to write. */
  readonly left: readonly Left[]
  /** Things to know, such as a package that got a newer range, or who can be a member. */
  readonly notes: readonly string[]
  /** Variables of `.env` that still need a value. */
  readonly variables: readonly string[]
  readonly config: string
  readonly placeholders: readonly string[]
  readonly commands: readonly string[]
  /** Address of the example page. */
  readonly address: string
}

/**
 * Plans memberships in an existing project. Nothing of it is executed.
 * @throws ERR_USAGE if the project or its host is not recognised, or has memberships already
 */
export function planAdd(folder: string, answers: AddAnswers): AddPlan {
  const project = readProject(folder)
  const host = hostOf(project, answers)
  const app = isServer(host) ? findApp(project, host, answers.entry) : null
  const shape = shapeOf(project, host, app)
  const config = configFile({ ...answers, index: null }, shape)
  const example = { gate: config.gate, path: examplePath(project) }
  const parts = isServer(host)
    ? app === null
      ? unplaced(project, host, example)
      : serverParts({ project, host, app, example })
    : frameworkParts(host, { project, config, example })
  const variables = [...config.variables, ...(answers.mails === 'smtp' ? ['SMTP_URL', 'MAIL_FROM'] : [])]
  const needed = [...answers.packages, ...(answers.mails === 'smtp' ? ['nodemailer'] : [])]
  const tarball = ownTarball()
  const raised = raisedPackages(project, host)
  const wanted = { ...parts.created, [shape.config]: config.text }
  const conflicts = Object.keys(wanted).filter((file) => existsSync(join(project.root, file)))
  const created = Object.entries(wanted).filter(([file]) => !conflicts.includes(file))
  const edited = [
    ...parts.edited,
    ...sharedEdits(project, {
      shape,
      variables,
      tarball,
      packages: { ...rangesOf(needed), ...parts.packages },
      raised,
    }),
  ].filter(({ edits }) => edits.length > 0)
  const left = [
    ...parts.left,
    ...conflicts.map((file) => conflictOf(file, wanted[file]!)),
    ...runtimeLeft(project, host),
  ]
  return {
    root: project.root,
    host,
    packageManager: project.packageManager,
    left,
    ...planned(project, { created, edited, tarball, provider: answers.provider }),
    notes: [
      ...Object.entries(raised).map(
        ([name, range]) =>
          `package.json asks for ${name} ${range}, because the version there is too old for membership.`,
      ),
      ...(parts.notes ?? []),
    ],
    variables,
    config: shape.config,
    placeholders: config.placeholders,
    commands: commandsOf(project),
    address: `${shape.address}${parts.page ?? example.path}`,
  }
}

function isServer(host: AddHost): host is ServerHost {
  return !frameworks.has(host)
}

const frameworks: ReadonlySet<AddHost> = new Set<FrameworkHost>([
  ...(['payload', 'strapi', 'nuxt', 'astro', 'sveltekit', 'react-router', 'next'] as const),
])

/**
 * Returns the host of a project: the one that was named, else the only one of its packages that makes an
 * application here.
 * @throws ERR_USAGE
 */
function hostOf(project: Project, { host, entry }: AddAnswers): AddHost {
  if (host !== undefined) return host
  const found = hostsOf(project)
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (first === undefined)
    throw new MembershipError('ERR_USAGE', `No host is among the packages of ${project.root}.`, {
      action: `In a workspace, go to the folder of the site. Else name the host: membership add --host ${addHosts.join('|')}`,
    })
  const made = found.filter((name) => isServer(name) && findApp(project, name, entry) !== null)
  if (made.length === 1) return made[0]!
  throw new MembershipError('ERR_USAGE', `Several hosts are among the packages: ${found.join(', ')}.`, {
    action: `Name the one that answers requests: membership add --host ${first}`,
  })
}

/** Decides where the options stand and in which language, and reads the port of the site. */
function shapeOf(project: Project, host: AddHost, app: AppPlace | null): Shape {
  const { isTypeScript, manifest } = project
  if (app === null) {
    const isRequired = host === 'strapi' && !isTypeScript
    const language: CodeLanguage = isTypeScript ? 'ts' : isRequired ? 'cjs' : 'esm'
    const ending = isTypeScript ? 'ts' : isRequired || manifest.type === 'module' ? 'js' : 'mjs'
    const port = ports[host] ?? 3000
    return {
      config: `membership.config.${ending}`,
      language,
      ...addressOf(port, host === 'next' || host === 'payload'),
    }
  }
  const extension = /\.[cm]?[jt]s/.exec(app.file)![0]
  const language = extension.includes('ts') ? 'ts' : isCommonJs(project, app) ? 'cjs' : 'esm'
  const below = dirname(app.file) === '.' ? '' : `${dirname(app.file)}/`
  const started = [app.file, ...startedFiles(project)].map((file) => project.read(file) ?? '').join('\n')
  const [, port] = portIn.exec(started) ?? []
  return {
    config: `${below}membership.config${extension}`,
    language,
    ...addressOf(Number(port ?? 3000), started.includes('process.env.PORT')),
  }
}

const portIn = /(?:\blisten\(\s*|\bport\s*[:=]\s*|\bPORT\b\s*(?:\?\?|\|\|)\s*['"]?)(\d{2,5})\b/

function startedFiles({ manifest: { scripts = {} }, read }: Project): string[] {
  return [scripts.start ?? '', scripts.dev ?? '']
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => /^[\w./-]+$/.test(word) && /\//.test(word) && isFile(read, word))
}

function isFile(read: Project['read'], path: string): boolean {
  try {
    return read(path) !== null
  } catch {
    return false
  }
}

// The ports of their servers in development.
const ports: Partial<Readonly<Record<AddHost, number>>> = {
  astro: 4321,
  sveltekit: 5173,
  'react-router': 5173,
  strapi: 1337,
}

function addressOf(port: number, isFromEnvironment: boolean): Pick<Shape, 'url' | 'address'> {
  return {
    address: `http://localhost:${port}`,
    url: isFromEnvironment
      ? `\`http://localhost:\${process.env.PORT ?? ${port}}\``
      : `'http://localhost:${port}'`,
  }
}

/** Returns the path of the example, which no page of the site has. */
function examplePath({ sources, read }: Project): string {
  return sources.some((file) => /\barchive\b/.test(file) || /['"`/]archive\b/.test(read(file) ?? ''))
    ? '/members-example'
    : '/archive'
}

/** Returns what a person writes if no file was found that makes the application. */
function unplaced({ manifest }: Project, host: ServerHost, example: Example): HostParts {
  const mounted = mountLines(host, 'app', example).map(([code, comment]) => `${code} // ${comment}`)
  const text = [
    "import { createMembership } from 'membership'",
    ...(host === 'koa' ? [] : [`import { ${host}Host } from 'membership/${host}'`]),
    "import options from './membership.config.js'",
    '',
    host === 'koa'
      ? 'const m = await createMembership(options)'
      : `const membershipHost = ${host}Host(await createMembership(options))`,
    ...(host === 'koa' ? ['app.use(m.koa()) // above every body parser'] : mounted),
  ]
  return {
    created: {},
    edited: [],
    left: [
      {
        file: manifest.main ?? 'your server',
        line: null,
        reason: `No file was found that makes the application of ${host}. Name it with --entry, or write:`,
        text: text.join('\n'),
      },
    ],
  }
}

/** Edits of the files that every project has: package.json, .gitignore and .env. */
function sharedEdits(
  project: Project,
  given: {
    readonly shape: Shape
    readonly variables: readonly string[]
    readonly tarball: string | null
    readonly packages: Readonly<Record<string, string>>
    readonly raised: Readonly<Record<string, string>>
  },
): EditedFile[] {
  const { shape, variables, tarball, packages, raised } = given
  const { read, packageJson, manifest } = project
  const there = { ...manifest.devDependencies, ...manifest.dependencies }
  const ours = tarball === null ? `^${ownManifest().version}` : `file:${basename(tarball)}`
  const wanted = Object.entries({ membership: ours, ...packages }).filter(([name]) => !(name in there))
  // The commands look for the options here.
  const named: Record<string, string> = shape.config.includes('/') ? { membership: shape.config } : {}
  const env = read('.env') ?? ''
  const unset = variables.filter((name) => !new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(env))
  return [
    {
      file: 'package.json',
      edits: packageEdits(packageJson, { ...Object.fromEntries(wanted), ...raised }, named),
    },
    // The database and the secret that signs its sessions.
    {
      file: '.gitignore',
      edits: missingLines(read('.gitignore') ?? '', [
        '/data/membership.*',
        ...(variables.length > 0 ? ['.env'] : []),
      ]),
    },
    {
      file: '.env',
      edits: missingLines(
        env,
        unset.map((name) => `${name}=`),
      ),
    },
  ]
}

function rangesOf(names: readonly string[]): Record<string, string> {
  const { peerDependencies } = ownManifest()
  return Object.fromEntries(names.map((name) => [name, peerDependencies[name] ?? '*']))
}

function conflictOf(file: string, text: string): Left {
  return {
    file,
    line: null,
    reason: 'There is a file of this name already. It would have:',
    text: text.trimEnd(),
  }
}

/** Returns packages that are too old, with the range that the project gets. */
function raisedPackages({ manifest }: Project, host: AddHost): Record<string, string> {
  const { express } = manifest.dependencies ?? {}
  const [, major = '9', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(express ?? '') ?? []
  const isOld = Number(major) < 4 || (major === '4' && Number(minor) < 18)
  return host === 'express' && express !== undefined && isOld ? { express: '^4.18.0' } : {}
}

/** Returns what `add` cannot mend: a runtime without files. */
function runtimeLeft({ manifest, packageJson }: Project, host: AddHost): Left[] {
  if (host !== 'hono' || !('wrangler' in { ...manifest.devDependencies, ...manifest.dependencies })) return []
  return [
    {
      file: 'package.json',
      line: packageJson.slice(0, packageJson.indexOf('"wrangler"')).split('\n').length,
      reason:
        'Cloudflare Workers have no files and no SQLite, so they cannot run the site. They check passes:',
      text: 'node_modules/membership/docs/edge.md',
    },
  ]
}

function commandsOf({ packageManager, manifest: { scripts = {} } }: Project): string[] {
  const script = ['dev', 'develop', 'start:dev', 'start'].find((name) => name in scripts)
  return [
    `${packageManager} install`,
    ...(packageManager === 'pnpm' ? ['pnpm approve-builds'] : []),
    ...(script === undefined ? [] : [`${packageManager} run ${script}`]),
  ]
}

/** Builds the diff and the journal's plan from new and edited files. A file that is missing is new. */
function planned(
  { root, read }: Project,
  given: {
    readonly created: readonly (readonly [file: string, text: string])[]
    readonly edited: readonly EditedFile[]
    readonly tarball: string | null
    readonly provider: string
  },
): Pick<AddPlan, 'files' | 'copied' | 'writable'> {
  const { created, edited, tarball, provider } = given
  const isMissing = ({ file }: EditedFile) => read(file) === null
  const news: CreatedFile[] = [
    ...created.map(([file, text]) => ({ file, text })),
    ...edited.filter(isMissing).map(({ file, edits }) => ({ file, text: applyEdits('', edits) })),
  ]
  const changes = edited.filter((item) => !isMissing(item)).map((item) => changeOf(root, item))
  const copied = tarball !== null && !existsSync(join(root, basename(tarball))) ? tarball : null
  return {
    files: [
      ...changes.map(({ file, edits }) => plannedFile(file, read(file), applyEdits(read(file)!, edits))),
      ...news.map(({ file, text }) => plannedFile(file, null, text as string)),
    ],
    copied,
    writable: {
      root,
      facts: { provider, prefix: 'membership', field: provider },
      renames: false,
      changes,
      databases: [],
      created: copied === null ? news : [...news, { file: basename(copied), text: readFileSync(copied) }],
    },
  }
}

function plannedFile(path: string, before: string | null, after: string): PlannedFile {
  return {
    path,
    before,
    after,
    isSecret: path === '.env',
  }
}

/** @throws ERR_USAGE for a file that is no text */
function changeOf(root: string, { file, edits }: { file: string; edits: readonly Edit[] }): FileChange {
  const bytes = readFileSync(join(root, file))
  const source = toSource(file, bytes)
  if (typeof source === 'string' || source.encoding !== 'utf8')
    throw new MembershipError('ERR_USAGE', `${file} is not UTF-8, so nothing can be added to it.`, {
      action: 'Save it as UTF-8, and run the command again.',
    })
  const part: Part = file === '.env' ? 'env' : file === 'package.json' ? 'config' : 'templates'
  return { part, file, before: hashOf(bytes), encoding: source.encoding, edits, summary: [] }
}
