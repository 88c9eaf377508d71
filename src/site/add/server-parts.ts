import { dirname, posix } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import type { Edit } from '../../migrate/edits.ts'
import { parseJsonc } from '../../migrate/package-edits.ts'
import { parseScript, type ScriptNode, walkScript } from '../../migrate/script.ts'
import { placeOf } from '../../migrate/source.ts'
import { hostFile, type ServerHost } from './host-file.ts'
import { entryEdit, propertyOf } from './objects.ts'
import { type EditedFile, type Example, type HostParts, type Left, lines } from './parts.ts'
import {
  type AppPlace,
  appsIn,
  importEdit,
  inStyle,
  linesBelow,
  type Maker,
  mountBelow,
  nameOf,
} from './places.ts'
import type { Project } from './project.ts'

const makers: Readonly<Record<ServerHost, Maker>> = {
  koa: { package: 'koa', names: ['default'] },
  express: { package: 'express', names: ['default'] },
  fastify: { package: 'fastify', names: ['default', 'fastify'] },
  hono: { package: 'hono', names: ['Hono'] },
  nest: { package: '@nestjs/core', names: ['NestFactory'], method: 'create' },
}

/**
 * Finds the application of a host: in `entry` if it is named, else in the file that package.json starts, else
 * in the only file that makes one.
 * @throws ERR_USAGE if there are several, or `entry` makes none
 */
export function findApp(project: Project, host: ServerHost, entry: string | undefined): AppPlace | null {
  const files = entry === undefined ? project.sources : [posix.normalize(entry.replaceAll('\\', '/'))]
  const found = files.flatMap((file) => appsIn(file, project.read(file) ?? '', makers[host]))
  if (entry !== undefined && found.length === 0)
    throw new MembershipError('ERR_USAGE', `${entry} makes no application of ${host}.`, {
      action: 'Name the file that makes it: membership add --entry src/app.ts',
    })
  const started = found.filter(({ file }) => isStarted(project, file))
  const wanted = started.length > 0 ? started : found
  if (wanted.length < 2) return wanted[0] ?? null
  throw new MembershipError(
    'ERR_USAGE',
    `Several places make an application of ${host}: ${wanted.map((app) => placed(app)).join(', ')}.`,
    { action: `Name the file: membership add --entry ${wanted[0]!.file}` },
  )
}

function isStarted({ manifest: { main = '', scripts = {} } }: Project, file: string): boolean {
  return [main, scripts.start ?? '', scripts.dev ?? ''].some((text) =>
    text.split(/\s+/).some((word) => word !== '' && posix.normalize(word) === file),
  )
}

/** Returns a place as editors count: `src/app.ts:12`. */
function placed({ file, text, statement }: AppPlace): string {
  return `${file}:${placeOf(text, statement.start).line}`
}

/** Returns true if the project's code is loaded by `require()`, also after compiling. */
export function isCommonJs(project: Project, { file, text, program }: AppPlace): boolean {
  if (/\.c[jt]s$/.test(file)) return true
  if (/\.m[jt]s$/.test(file)) return false
  if (/\.tsx?$/.test(file)) {
    const { compilerOptions = {} } = (parseJsonc(project.read('tsconfig.json') ?? '{}') ?? {}) as {
      compilerOptions?: { module?: string }
    }
    if (/^commonjs$/i.test(compilerOptions.module ?? '')) return true
    return project.manifest.type !== 'module'
  }
  const hasImports = (program.body as readonly { type: string }[]).some(
    ({ type }) => type === 'ImportDeclaration',
  )
  return !hasImports && (project.manifest.type !== 'module' || /\brequire\(/.test(text))
}

/** Returns how a file of the project imports one beside it: with the ending that its other imports have. */
export function importedAs(project: Project, { file, text }: AppPlace, name: string): string {
  const extension = /\.[cm]?[jt]sx?$/.exec(file)![0].replace('x', '')
  const compiled = extension.replace('ts', 'js')
  const theirs = [...text.matchAll(/(?:from|require\()\s*['"](\.{1,2}\/[^'"]+)['"]/g)]
    .map(([, path = '']) => /\.\w+$/.exec(path)?.[0] ?? '')
    .find((ending) => ending === '' || /^\.[cm]?[jt]s$/.test(ending))
  if (theirs !== undefined) return `./${name}${theirs}`
  if (!extension.includes('ts')) return `./${name}${extension}`
  const tsconfig = project.read('tsconfig.json')
  const mayNameSource =
    tsconfig === null || /allowImportingTsExtensions|rewriteRelativeImportExtensions/.test(tsconfig)
  return `./${name}${mayNameSource ? extension : compiled}`
}

/** Plans the new file and the edits of a project whose code makes the application. */
export function serverParts(given: {
  readonly project: Project
  readonly host: ServerHost
  readonly app: AppPlace
  readonly example: Example
}): HostParts {
  const { project, host, app, example } = given
  const { file, text, program, name, statement } = app
  const isRequired = isCommonJs(project, app)
  const extension = /\.[cm]?[jt]s/.exec(file)![0]
  const below = dirname(file) === '.' ? '' : `${dirname(file)}/`
  const form = {
    isTyped: extension.includes('ts'),
    isCommonJs: isRequired,
    options: importedAs(project, app, 'membership.config'),
  }
  const from = importedAs(project, app, 'membership-host')
  const importLine =
    isRequired && !form.isTyped
      ? `const { membershipHost } = require('${from}')`
      : `import { membershipHost } from '${from}'`
  const mounted = mountLines(host, name, example).map(([code, comment]) => inStyle(text, code, comment))
  const place = mountBelow(app)
  const imports = importEdit(text, program, statement.end, inStyle(text, importLine))
  const mounts = linesBelow(text, place, mounted)
  const isPlaced = imports !== null && mounts !== null
  const edited: EditedFile[] = isPlaced ? [{ file, edits: merged(imports, mounts) }] : []
  const left: Left[] = isPlaced
    ? []
    : [
        {
          file,
          line: placeOf(text, place.end).line,
          reason: 'Other code stands on this line. Write this below it:',
          text: [importLine, ...mounted].join('\n'),
        },
      ]
  const further = host === 'nest' ? nestExample(project, app, example, below) : null
  return {
    created: {
      [`${below}membership-host${extension}`]: hostFile(host, form, example),
      ...further?.created,
    },
    edited: [...edited, ...(further?.edited ?? [])],
    left: [...left, ...(further?.left ?? [])],
  }
}

/** Plans a controller with the example, and its place in the module beside the file that starts the site. */
function nestExample(project: Project, app: AppPlace, { gate, path }: Example, below: string): HostParts {
  const name = path.slice(1)
  const file = `${below}app.module.ts`
  const text = project.read(file) ?? ''
  const from = importedAs(project, app, `${name}.controller`)
  const line = `import { ArchiveController } from '${from}'`
  const program = parseScript(text, file, true)
  const list = program === null ? null : controllersIn(program)
  const imports =
    program === null || list === null ? null : importEdit(text, program, list.start, inStyle(text, line))
  const controller = [
    "import { Controller, Get, UseGuards } from '@nestjs/common'",
    `import { membershipHost } from '${importedAs(project, app, 'membership-host')}'`,
    '',
    `@Controller('${name}')`,
    'export class ArchiveController {',
    '  @Get()',
    `  @UseGuards(membershipHost.gate('${gate}'))`,
    '  show(): string {',
    "    return 'The archive.'",
    '  }',
    '}',
  ]
  return {
    created: { [`${below}${name}.controller.ts`]: lines(...controller) },
    edited:
      list === null || imports === null
        ? []
        : [{ file, edits: [imports, entryEdit(text, list, ['ArchiveController'])] }],
    left:
      list !== null && imports !== null
        ? []
        : [
            {
              file,
              line: null,
              reason: 'Add the controller to a module:',
              text: `${line}\n\n@Module({ controllers: [ArchiveController] })`,
            },
          ],
  }
}

/** Returns the list of controllers of the first module in a file. */
function controllersIn(program: ScriptNode): ScriptNode | null {
  let found: ScriptNode | null = null
  walkScript(program, (node) => {
    if (found !== null || node.type !== 'CallExpression' || nameOf(node.callee) !== 'Module') return
    const [terms] = node.arguments as readonly ScriptNode[]
    const list = terms === undefined ? null : propertyOf(terms, 'controllers')
    if (list?.type === 'ArrayExpression') found = list
  })
  return found
}

/** Two insertions at one place follow each other, the import first. */
function merged(first: Edit, second: Edit): Edit[] {
  return first.start === second.start ? [{ ...first, text: first.text + second.text }] : [first, second]
}

/** Returns the lines that mount membership, and an example that is closed, with their comments. */
export function mountLines(
  host: ServerHost,
  app: string,
  { gate, path }: Example,
): readonly (readonly [code: string, comment: string])[] {
  const first = 'the visitor of each request, and the pages below /membership; above every body parser'
  const second = `an example, for members with the plan "${gate}"`
  const closed = `membershipHost.gate('${gate}')`
  switch (host) {
    case 'koa':
      return [
        [`${app}.use(membershipHost.routes)`, first],
        [`${app}.use(membershipHost.archive)`, second],
      ]
    case 'express':
      return [
        [`${app}.use(membershipHost.middleware())`, first],
        [
          `${app}.get('${path}', ${closed}, (_request, response) => { response.send('The archive.') })`,
          second,
        ],
      ]
    case 'fastify':
      return [
        [`${app}.register(membershipHost.plugin)`, first],
        [`${app}.get('${path}', { preHandler: ${closed} }, async () => 'The archive.')`, second],
      ]
    case 'hono':
      return [
        [`${app}.use(membershipHost.middleware())`, first],
        [`${app}.get('${path}', ${closed}, (c) => c.text('The archive.'))`, second],
      ]
    case 'nest':
      return [[`await membershipHost.mount(${app})`, first]]
    default:
      throw new TypeError(`unhandled ${host satisfies never}`)
  }
}
