/**
 * Keeps one report of the public interface for each entry of the package, in `api/`: whoever changes a name
 * or a type sees it in review. `npm run api` says what differs; `npm run api -- --write` writes it.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
} from '@microsoft/api-extractor'

const root = join(import.meta.dirname, '..')
const isWriting = process.argv.includes('--write')
const declarations = mkdtempSync(join(root, '.declarations-'))
const reports = join(root, 'api')

// The client's types are made from docs/openapi.json, which is their report. The hosts' entries speak of types of packages that a site has; their few names are tested by the hosts' programs.
const entries = {
  membership: 'index',
  schemas: 'schemas',
  types: 'public-types',
  testkit: 'testkit/index',
  'testkit-engine': 'testkit/engine',
}

try {
  mkdirSync(reports, { recursive: true })
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
  const build = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', declarations]
  execFileSync(process.execPath, [compiler, ...build], { stdio: 'inherit' })
  const missing = Object.entries(entries).flatMap(([name, entry]) =>
    report(name, join(declarations, `${entry}.d.ts`)),
  )
  // What one entry speaks of, another may export.
  const exported = new Set([...Object.keys(entries).flatMap(namesIn), ...renamed()])
  const unexported = [...new Set(missing)].filter((name) => !exported.has(name))
  if (unexported.length > 0) {
    console.log(`Types of the interface that no entry exports: ${unexported.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  rmSync(declarations, { recursive: true, force: true })
}

function report(name: string, entry: string): readonly string[] {
  const missing: string[] = []
  const { apiReportChanged } = Extractor.invoke(configOf(name, entry), {
    localBuild: isWriting,
    messageCallback: (message) => {
      message.logLevel = ExtractorLogLevel.None
      if (message.messageId === 'ae-forgotten-export' && !isUnpromised(message))
        missing.push(/"(\w+?)(?:_\d)?"/.exec(message.text)?.[1] ?? message.text)
    },
  })
  const isStale = apiReportChanged && !isWriting
  console.log(`${name}: ${isStale ? 'differs' : 'as before'}`)
  if (isStale) console.log(`→ npm run api -- --write, and look at the difference of api/${name}.api.md`)
  if (isStale) process.exitCode = 1
  return missing
}

/** The names that are exported under another, because two of them are the same. */
function renamed(): string[] {
  const text = ['index.ts', 'public-types.ts'].map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  return [...text.join('\n').matchAll(/(\w+) as \w+/g)].map(([, name = '']) => name)
}

/** The names that an entry exports, as its report has them. */
function namesIn(name: string): string[] {
  const text = readFileSync(join(reports, `${name}.api.md`), 'utf8')
  return [
    ...text.matchAll(/^export (?:declare )?(?:type|interface|class|const|function) (\w+)/gm),
    ...text.matchAll(/^export \{ \w+ as (\w+) \}/gm),
  ].map(([, exported = '']) => exported)
}

/** True for what is not promised: the database's tables and columns, and how a fake Stripe writes each object. */
function isUnpromised({ sourceFilePath, text }: ExtractorMessage): boolean {
  const path = sourceOf(sourceFilePath)
  return (
    path.startsWith('src/core/storage/') ||
    path.includes('statements') ||
    /"(ImportLinesTable|FormRoutes|Step|shapes)"/.test(text)
  )
}

/** The file of a type, as it stands in the repository. */
function sourceOf(path = ''): string {
  return path.replace(declarations, 'src').replace(/^.*?\.declarations-\w+/, 'src')
}

function configOf(name: string, entry: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: join(root, 'api-extractor.json'),
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            target: 'ES2023',
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: [entry],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: reports,
        reportTempFolder: declarations,
        includeForgottenExports: false,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: 'none' as never },
          'ae-forgotten-export': { logLevel: 'warning' as never },
        },
      },
    },
  })
}
