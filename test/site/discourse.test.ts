import { createHmac } from 'node:crypto'
import test from 'ava'
import { createDiscourseConnect } from '../../src/entries/discourse.ts'
import { createMembership } from '../../src/index.ts'

// The example values of https://meta.discourse.org/t/13045
const secret = 'd836444a9e4084d5b224a60c208dce14'
const sso = 'bm9uY2U9Y2I2ODI1MWVlZmI1MjExZTU4YzAwZmYxMzk1ZjBjMGI='
const sig = '1ce1494f94484b6f6a092be9b15ccc1cdafb1f8460a3838fbb0e0883c4390471'
const nonce = 'cb68251eefb5211e58c00ff1395f0c0b'

test('the forum’s documented request is answered with a signed message for the configured forum', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox.plans': {
      pro: { prices: ['price_pro'] },
      team: { prices: ['price_team'] },
    },
    install: false,
    root: false,
    log: () => undefined,
  })
  t.teardown(() => m.close())
  const forum = createDiscourseConnect({
    url: 'https://forum.example.com/',
    secret,
    groups: { pro: 'supporters', team: ['teams', 'supporters'] } as never,
  })
  const { id } = await m.users.create({ email: 'ann@example.com', name: 'Ann Ö', verified: true })
  const ann = async () => (await m.users.findById(id))!
  const answered = async () => {
    const url = new URL(forum.answer(new URLSearchParams({ sso, sig }), await ann()))
    t.is(url.origin + url.pathname, 'https://forum.example.com/session/sso_login')
    const payload = url.searchParams.get('sso')!
    t.is(url.searchParams.get('sig'), createHmac('sha256', secret).update(payload).digest('hex'))
    return Object.fromEntries(new URLSearchParams(Buffer.from(payload, 'base64').toString()))
  }
  const about = { nonce, external_id: id, email: 'ann@example.com', name: 'Ann Ö' }
  t.deepEqual(await answered(), { ...about, remove_groups: 'supporters,teams' })
  const grant = await m.users.grant({ memberId: id, gate: 'pro' })
  t.deepEqual(await answered(), { ...about, add_groups: 'supporters', remove_groups: 'teams' })
  await m.users.revoke(grant)
  const { sso: payload } = forum.sync(await ann())
  t.is(
    new URLSearchParams(Buffer.from(payload, 'base64').toString()).get('remove_groups'),
    'supporters,teams',
  )

  const other = Buffer.from(`nonce=${nonce}&return_sso_url=https://evil.example/`).toString('base64')
  for (const query of [{ sso, sig: `${sig.slice(0, -1)}0` }, { sso: other, sig }, { sso, sig: '' }, {}])
    t.throws(() => forum.answer(new URLSearchParams(query as Record<string, string>), { id } as never), {
      code: 'ERR_REFUSED',
    })
  const moved = { sso: other, sig: createHmac('sha256', secret).update(other).digest('hex') }
  t.regex(forum.answer(new URLSearchParams(moved), await ann()), /^https:\/\/forum\.example\.com\//)
  const bea = await m.users.create({ email: 'bea@example.com' })
  t.is(
    new URLSearchParams(Buffer.from(forum.sync(bea).sso, 'base64').toString()).get('require_activation'),
    'true',
  )
  t.throws(() => createDiscourseConnect({ url: 'forum', secret }), { code: 'ERR_CONFIG' })
})
