import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Brings a Node with its headers from the registry, unless the folder has it; returns where it lies. */
export function nodeInto(folder: string, version: string): string {
  const at = join(folder, `node-${version}`)
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const home = join(at, 'node_modules', name)
  if (existsSync(home)) return home
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), '{ "private": true }')
  // Its own script would look for another package.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefer-offline']
  execFileSync('npm', ['install', ...options, `${name}@${version}`], { cwd: at, stdio: 'inherit' })
  return home
}

/** The environment in which `node` and `npm` are those of that Node, and what is compiled is compiled for it. */
export function envOfNode(home: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
    npm_config_nodedir: home,
  }
}
