import { type ChildProcess, spawn } from 'node:child_process'
import { createBrowser, until } from '../../test/support/browser.ts'

/** A site that runs, with everything it printed. */
export interface RunningSite {
  readonly browser: ReturnType<typeof createBrowser>
  readonly origin: string
  /** Waits for a line of the site's output, such as a mail. */
  readonly said: (line: RegExp) => Promise<string>
}

/** Files of a section: blocks such as ```ts server.ts, or with `// server.ts` as their first line. */
export function filesIn(section: string): { name: string; code: string }[] {
  const blocks = [...section.matchAll(/^```tsx?(?: (\S+\.\S+))?[^\n]*\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, title, code = '']) => {
    const name = title ?? /^\/\/ (\S+\.tsx?)$/m.exec(code.split('\n')[0] ?? '')?.[1]
    return name === undefined ? [] : [{ name, code }]
  })
}

/** Packages that the section's `npm install` lines name, without the package itself. */
export function packagesIn(section: string): string[] {
  const lines = [...section.matchAll(/npm install (?:--save-dev )?([^&\n]+)/g)]
  return [...new Set(lines.flatMap(([, names = '']) => names.trim().split(/\s+/)))].filter(
    (name) => !name.endsWith('.tgz'),
  )
}

/** Starts a site and waits until it answers. */
export async function startSite(
  [command = '', ...args]: readonly string[],
  { cwd, origin, env }: { cwd: string; origin: string; env: NodeJS.ProcessEnv },
): Promise<{ site: RunningSite; output: () => string; stop: () => void }> {
  const child: ChildProcess = spawn(command, args, { cwd, env, detached: true })
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
  await until(answers, (isUp) => isUp || child.exitCode !== null)
  const stop = () => {
    // The whole group: npm and npx start the site as a child of theirs.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  return { site: { browser: createBrowser(origin), origin, said }, output: () => output, stop }
}
