/**
 * Does what a page says, as a reader would who has nothing but the page: it saves files, runs commands and
 * starts programs as they are printed. It has no other way to make a file or to set an option.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Step } from './blocks.ts'
import { type Started, startSite } from './running-site.ts'

const root = join(import.meta.dirname, '../..')

export interface ReaderOptions {
  /** An empty folder. */
  readonly place: string
  /** The package as it would be published. */
  readonly tarball: string
  /** Where the site answers. */
  readonly origin: string
  /** The reader's own things: accounts, and a port where 3000 is taken. */
  readonly account: Readonly<Record<string, string>>
}

export interface Reader {
  /** The folder of a step. */
  folderOf(step: Step): string
  /** Saves, runs or starts a block; what a command printed. @throws with its output if it fails */
  follow(step: Step): Promise<string>
  /** The program that answers as the site. */
  site(): Started
  /** Everything that the programs printed. */
  output(): string
  close(): void
}

/** The machine's own settings for npm and to programs: where the registry is, and where Node's headers lie. */
const ofMachine = [
  'LANG',
  'TZ',
  'TMPDIR',
  'JOBS',
  'NODE_EXTRA_CA_CERTS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'npm_config_userconfig',
  'npm_config_globalconfig',
  'npm_config_cache',
  'npm_config_nodedir',
]

/** A clean environment with an empty home, in which only npm finds what it knows of this machine. */
export function cleanEnvironment(home: string, account: ReaderOptions['account']): NodeJS.ProcessEnv {
  const { PATH = '', ...all } = process.env
  const known = {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    ...all,
  }
  // `npm run` adds the programs of this repository, which a reader has not installed.
  const own = PATH.split(delimiter).filter((folder) => !/node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder))
  return {
    ...Object.fromEntries(Object.entries(known).filter(([name]) => ofMachine.includes(name))),
    PATH: own.join(delimiter),
    HOME: home,
    ...account,
  }
}

/** The one thing that differs from the page: where `npm install` finds the package. */
export function withTarball(code: string, tarball: string): string {
  return code.replace(/^npm install .*$/gm, (line) =>
    line.replace(/(?<= )\S*membership-\d[\w.-]*\.tgz/, () => `"${tarball}"`),
  )
}

export function openReader({ place, tarball, origin, account }: ReaderOptions): Reader {
  const home = join(place, 'home')
  mkdirSync(home)
  const env = cleanEnvironment(home, account)
  const programs: { readonly started: Started; readonly isSite: boolean }[] = []
  const made = new Set<string>()

  const folderOf = ({ folder }: Step): string => {
    const path = join(place, folder)
    if (made.has(folder)) return path
    made.add(folder)
    if (folder === 'repository') execFileSync('git', ['clone', '--quiet', root, path])
    else mkdirSync(path, { recursive: true })
    return path
  }

  const run = async (code: string, cwd: string): Promise<string> => {
    const child = spawn('sh', ['-e', '-c', code], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk
      })
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`exit ${status} of\n${code}\n${said.slice(-4000)}`)
    return said
  }

  const follow = async (step: Step): Promise<string> => {
    const { block, serves } = step
    const cwd = folderOf(step)
    if (block.file !== null) {
      mkdirSync(dirname(join(cwd, block.file)), { recursive: true })
      writeFileSync(join(cwd, block.file), block.code)
      return ''
    }
    const code = withTarball(block.code, tarball)
    if (serves === null) return run(code, cwd)
    const isSite = serves === 'site'
    const started = await startSite(['sh', '-e', '-c', code], {
      cwd,
      env,
      origin: isSite ? origin : serves.origin,
      milliseconds: 900_000,
    })
    programs.push({ started, isSite })
    if (!(await started.isUp()))
      throw new Error(`${block.page} starts nothing by\n${code}\n${started.output()}`)
    return ''
  }

  return {
    folderOf,
    follow,
    site: () => {
      const found = programs.find(({ isSite }) => isSite)
      if (found === undefined) throw new TypeError('No block of this walk serves the site')
      return found.started
    },
    output: () => programs.map(({ started }) => started.output()).join('\n'),
    close: () => {
      for (const { started } of programs) started.stop()
    },
  }
}
