import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { skillFile, skills, skillText } from '../../scripts/skills.ts'

const root = join(import.meta.dirname, '../..')
function read(name: string) {
  return readFileSync(join(root, name), 'utf8')
}

test('each skill is made from its guides as they are now (mend: npm run docs)', (t) => {
  for (const skill of skills) t.is(read(skillFile(skill)), skillText(skill), skill.name)
  t.deepEqual(readdirSync(join(root, 'skills')).sort(), skills.map(({ name }) => name).sort())
})

test('a skill has a head that agents read, and its links lead to files of the package', (t) => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  t.true(files.includes('skills'))
  for (const skill of skills) {
    const text = read(skillFile(skill))
    const head = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '') as Record<string, string>
    t.is(head.name, skill.name)
    t.true((head.description?.length ?? 0) > 40 && (head.description?.length ?? 0) < 1024)
    t.regex(text, /\n## Check\n\n- /)
    t.regex(text, /\n## By hand\n\n- /)
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      t.true(existsSync(join(root, dirname(skillFile(skill)), target)), `${skill.name}: ${target}`)
  }
})
