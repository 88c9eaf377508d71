/** Builds the Next site of `init` with no secret in its environment: `npm run hosts next-build`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planSite, writeSite } from '../../src/site/init/index.ts'
import { installInto } from '../install.ts'
import { must } from './walk.ts'

/** True if `next build` of a gated page ends well, without a secret, and makes no database. */
export function buildsWithoutSecrets(tarball: (place: string) => string): boolean {
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-next-build-'))
  const { STRIPE_SECRET: _, STRIPE_WEBHOOK_SECRET: __, NODE_ENV: ___, ...env } = process.env
  try {
    if (kept === undefined)
      installInto(folder, [
        tarball(folder),
        'next@16',
        'react@19',
        'react-dom@19',
        'stripe',
        'typescript@5',
        '@types/react@19',
        '@types/node@20',
      ])
    const answers = {
      host: 'next',
      database: 'sqlite',
      provider: 'stripe',
      mails: 'log',
      index: null,
    } as const
    const { files } = planSite(folder, answers, ['stripe'])
    writeSite(
      folder,
      files.filter(({ path }) => path !== 'package.json' && path !== '.env'),
    )
    execFileSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
      cwd: folder,
      env: { ...env, NEXT_TELEMETRY_DISABLED: '1' } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    must(existsSync(join(folder, '.next/BUILD_ID')), 'Next built nothing')
    must(!existsSync(join(folder, 'data')), 'the build made a database')
    console.log('✔ next build needs no secret and makes no database')
    return true
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: Buffer; stderr?: Buffer }
    console.log(`✘ next build\n${message}\n${stdout}${stderr}`.slice(0, 4000))
    return false
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
