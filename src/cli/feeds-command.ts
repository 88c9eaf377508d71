import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { Membership } from '../site/membership-api.ts'
import { type Common, common } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

/** `membership feeds …` */
export function feedsCommand(): Command {
  return new Command('feeds')
    .addHelpText(
      'after',
      '\nExamples:\n  membership feeds list ann@example.com\n  membership feeds revoke ann@example.com --path /podcast.xml\n  membership feeds revoke ann@example.com',
    )
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

function listCommand(): Command {
  return common(
    new Command('list')
      .description('List the addresses of a member’s feeds, without their secret part.')
      .argument('<member>', 'an id or an address'),
  ).action(async (name: string, flags: Common) => {
    const feeds = await withSite(flags, async (m) => m.feeds.list(await memberOf(m, name)))
    const lines = columns(
      feeds.map(({ path, created_at, shared_at }) => [
        path,
        `since ${shortTime(created_at)}`,
        shared_at === null ? '' : `many clients on ${shortTime(shared_at)}`,
      ]),
    )
    print(flags, feeds, lines.length === 0 ? ['This member has no address of a feed.'] : lines)
  })
}

function revokeCommand(): Command {
  return common(
    new Command('revoke')
      .description('Revoke a member’s addresses. The member copies new ones from the site.')
      .argument('<member>', 'an id or an address')
      .option('--path <path>', 'one feed; without it, every feed and every link to a file'),
  ).action(async (name: string, flags: Common & { path?: string }) => {
    const { path } = flags
    const id = await withSite(flags, async (m) => {
      const member = await memberOf(m, name)
      await m.feeds.revoke(member, path)
      if (path === undefined) await m.files.revoke(member)
      return member.id
    })
    print(flags, { member: id, path: path ?? null, status: 'revoked' }, [
      path === undefined
        ? 'Every feed and link of this member has ended.'
        : `The address of ${path} has ended.`,
    ])
  })
}

/** @throws ERR_NOT_FOUND */
async function memberOf(m: Membership, name: string) {
  const member = name.includes('@') ? await m.users.findByEmail(name) : await m.users.findById(name)
  if (member !== null) return member
  throw new MembershipError('ERR_NOT_FOUND', `No member ${name}.`, { action: 'See: membership members list' })
}
