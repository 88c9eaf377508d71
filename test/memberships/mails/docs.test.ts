import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { coreSchema } from '../../../src/core/config/index.ts'
import { thorough } from '../../support/parts.ts'
import { kinds, openMails, samples } from './support.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const docs = await readFile(join(root, 'docs', 'mails.md'), 'utf8')

interface Sent {
  to: { name: string; address: string }
  subject: string
  messageId: string
}

thorough(test)('the transport in docs/mails.md matches our types, and passes everything on', async (t) => {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(docs) ?? []
  // Inside the project, so that its types are found; nodemailer is replaced by what the example uses of it.
  const folder = await mkdtemp(join(root, '.readme-mails-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const example = code
    .replace("from 'membership'", "from '../src/memberships/mails/index.ts'")
    .replace("from 'nodemailer'", "from './nodemailer.ts'")
  await writeFile(join(folder, 'example.ts'), example)
  await writeFile(
    join(folder, 'nodemailer.ts'),
    `export const sent: unknown[] = []
export const createTransport = (_url?: string) => ({ sendMail: async (mail: object) => void sent.push(mail) })`,
  )
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
  const program = ts.createProgram([join(folder, 'example.ts')], { ...options, noEmit: true })
  t.deepEqual(
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText),
    [],
  )

  // The example is loaded as it stands, in TypeScript.
  const { register } = await import('tsx/esm/api')
  t.teardown(register())
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const { transport } = await load('example.ts')
  const mail = openMails().compose('welcome', { to: 'ann@example.com', data: samples.welcome })
  await transport({ ...mail, id: 'm_1' })
  const [sent] = ((await load('nodemailer.ts')) as { sent: Sent[] }).sent
  t.like(sent, {
    to: { address: 'ann@example.com' },
    subject: 'Welcome to Neap',
    text: mail.text,
    html: mail.html,
    messageId: '<m_1@neap.example>',
  })
})

test('the reference names every kind of mail, and which ones a site can turn off', async (t) => {
  const page = await readFile(join(root, 'docs', 'reference', 'what-happens-to-mails.md'), 'utf8')
  const [optional = '', always = ''] = page.split('\n## Mails that are always sent\n')
  const kindsIn = (part: string) => [...part.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind!)
  t.deepEqual(kindsIn(page).toSorted(), kinds.toSorted())
  t.deepEqual(kindsIn(optional).toSorted(), coreSchema.parse({}).mails.kinds.toSorted())
  t.true(kindsIn(always).includes('magic-link'))
})
