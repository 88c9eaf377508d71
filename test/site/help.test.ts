import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { commandNames, fitted, loadCommand } from '../../src/cli/program.ts'
import { command } from '../support/command.ts'

test('every help fits 80 columns', async (t) => {
  const tooLong: string[] = []
  for (const name of commandNames) {
    const command = await loadCommand(name)
    for (const item of [command, ...command.commands]) {
      let text = ''
      item.configureOutput({ writeOut: (part) => (text += fitted(item, part)) })
      item.outputHelp()
      tooLong.push(...text.split('\n').filter((line) => line.length > 80))
    }
  }
  t.deepEqual(tooLong, [])
})

test('the help of the program itself fits 80 columns', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...command, '--help'])
  for (const line of stdout.split('\n')) t.true(line.length <= 80, line)
})

for (const args of ['--help', 'prices raise --help', 'members --help', 'start --port 0'])
  test(`membership ${args} ends with one plain line when its output is closed`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'membership-closed-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    // `true` reads nothing and ends before the first word is written.
    const piped = '{ "$@"; echo "exit code $?" >&2; } | true'
    const all = ['-c', piped, 'sh', process.execPath, ...command, ...args.split(' ')]
    const { stderr } = await promisify(execFile)('sh', all, { cwd: folder })
    t.regex(stderr, /^exit code 0$/m)
    t.is(stderr.match(/^The output was closed before everything was printed\.$/gm)?.length, 1)
    t.notRegex(stderr, /EPIPE|\bat /)
  })

test('a command whose output cannot be written says so in one plain line, and fails', async (t) => {
  const all = [
    '-c',
    '"$@" > /dev/full; echo "exit code $?" >&2',
    'sh',
    process.execPath,
    ...command,
    '--help',
  ]
  const { stderr } = await promisify(execFile)('sh', all)
  t.is(stderr, 'The output could not be written: the disk is full (ENOSPC).\nexit code 1\n')
})
