import test from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { checkOptions } from '../../src/site/option-mistakes.ts'
import type { MembershipOptions } from '../../src/site/options.ts'

/** The refusal of options as plain JavaScript gives them; null where they are accepted. */
function refused(options: object): { message: string; action: string | undefined } | null {
  try {
    checkOptions(options as MembershipOptions)
    return null
  } catch (error) {
    if (!isMembershipError(error, 'ERR_CONFIG')) throw error
    return { message: error.message, action: error.action }
  }
}
async function transport() {}

for (const [room, given] of [
  ['office', { enabled: true }],
  ['files', { folder: './private' }],
  ['feeds', { clients: 3 }],
  ['reports', { system: 'kirby' }],
  ['mails', { transport, trial_days: 3 }],
] as const)
  test(`a key of the configuration in the option ${room} is refused with its place`, (t) => {
    const name = Object.keys(given).at(-1)
    t.deepEqual(refused({ [room]: given }), {
      message: `"${name}" in the option "${room}" is a key of the configuration, and has no effect there.`,
      action: `Write 'membership.${room}.${name}' beside the option, or in config/membership.yml.`,
    })
  })

test('a misspelt name below an option is refused with the nearest, and another with what there is', (t) => {
  t.is(refused({ office: { whom: () => null } })?.action, 'Rename "whom" to "who".')
  t.is(refused({ files: { presgn: () => '' } })?.action, 'Rename "presgn" to "presign".')
  t.regex(refused({ reports: { zzz: 1 } })?.action ?? '', /has: resolve, resolveTxt, .*chance\.$/)
})

test('feeds are functions by path', (t) => {
  t.regex(refused({ feeds: { '/a.xml': 3 } })?.message ?? '', /"\/a\.xml" is a number\.$/)
  t.regex(refused({ feeds: { 'a.xml': () => '' } })?.message ?? '', /"a\.xml" is no path\.$/)
})

test('options that only code gives are accepted in their place', (t) => {
  const given = {
    'membership.office.enabled': true,
    office: { who: () => null, pages: undefined },
    files: { presign: () => '' },
    feeds: { '/a.xml': () => '' },
    reports: { resolve: async () => [], chance: () => 0 },
    mails: { transport, siteName: 'A', accountPath: '/me' },
  }
  t.is(refused(given), null)
})
