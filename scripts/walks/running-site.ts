import { type ChildProcess, spawn } from 'node:child_process'
import { createBrowser, until } from '../../test/support/browser.ts'

/** A site that runs, with everything it printed. */
export interface RunningSite {
  readonly browser: ReturnType<typeof createBrowser>
  readonly origin: string
  /** Waits for a line of the site's output, such as a mail. */
  readonly said: (line: RegExp) => Promise<string>
}

/** A program that was started. */
export interface Started {
  readonly site: RunningSite
  readonly output: () => string
  readonly isUp: () => Promise<boolean>
  readonly stop: () => void
}

interface StartOptions {
  readonly cwd: string
  readonly origin: string
  readonly env: NodeJS.ProcessEnv
  /** How long it may take to answer; a minute by default. */
  readonly milliseconds?: number
}

/** Starts a site and waits until it answers. */
export async function startSite(
  [command = '', ...args]: readonly string[],
  { cwd, origin, env, milliseconds = 60_000 }: StartOptions,
): Promise<Started> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  const said = async (line: RegExp): Promise<string> => {
    await until(
      async () => output,
      (text) => line.test(text),
      20_000,
    )
    return line.exec(output)?.[1] ?? ''
  }
  const answers = () =>
    fetch(origin).then(
      () => true,
      () => false,
    )
  await until(answers, (isThere) => isThere || child.exitCode !== null, milliseconds)
  const stop = () => {
    // The whole group: npm and npx start the site as a child of theirs.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  return {
    site: { browser: createBrowser(origin), origin, said },
    output: () => output,
    isUp: async () => child.exitCode === null && (await answers()),
    stop,
  }
}
