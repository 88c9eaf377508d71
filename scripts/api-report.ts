/** Keeps one report of the public interface for each entry of the package, in `api/`: whoever changes a name or a type sees
 *  it in review. `npm run api` says what differs; `npm run api -- --write` writes it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

const root = join(import.meta.dirname, '..')
const isWriting = process.argv.includes('--write')
const declarations = mkdtempSync(join(root, '.declarations-'))
const reports = join(root, 'api')

// The client's types are made from docs/openapi.json, which is their report. The hosts' entries speak of types of packages that a site has; their few names are tested by the hosts' programs.
const entries = {
  membership: 'index',
  schemas: 'schemas',
  testkit: 'testkit/index',
  'testkit-engine': 'testkit/engine',
}

try {
  mkdirSync(reports, { recursive: true })
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
  const build = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', declarations]
  execFileSync(process.execPath, [compiler, ...build], { stdio: 'inherit' })
  for (const [name, entry] of Object.entries(entries)) report(name, join(declarations, `${entry}.d.ts`))
} finally {
  rmSync(declarations, { recursive: true, force: true })
}

function report(name: string, entry: string): void {
  const missing: string[] = []
  const { apiReportChanged } = Extractor.invoke(configOf(name, entry), {
    localBuild: isWriting,
    messageCallback: (message) => {
      message.logLevel = ExtractorLogLevel.None
      if (message.messageId === 'ae-forgotten-export') missing.push(message.text)
    },
  })
  console.log(
    `${name}: ${apiReportChanged ? 'differs' : 'as before'}; ${missing.length} types are not exported`,
  )
  for (const text of missing) console.log(`  ${text}`)
  const isStale = apiReportChanged && !isWriting
  if (isStale) console.log(`→ npm run api -- --write, and look at the difference of api/${name}.api.md`)
  if (isStale || missing.length > 0) process.exitCode = 1
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
