import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { commandNames, fitted, loadCommand } from '../../src/cli/program.ts'

const root = join(import.meta.dirname, '../..')

test('every help fits 80 columns', async (t) => {
  const tooLong: string[] = []
  for (const name of commandNames) {
    const command = await loadCommand(name)
    for (const one of [command, ...command.commands]) {
      let text = ''
      one.configureOutput({ writeOut: (part) => (text += fitted(one, part)) })
      one.outputHelp()
      tooLong.push(...text.split('\n').filter((line) => line.length > 80))
    }
  }
  t.deepEqual(tooLong, [])
})

test('the help of the program itself fits 80 columns', async (t) => {
  const main = join(root, 'src/cli/main.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', main, '--help'])
  for (const line of stdout.split('\n')) t.true(line.length <= 80, line)
})
