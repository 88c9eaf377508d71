import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { drain } from '../../core/http/drain.ts'
import type { Log } from '../../core/log.ts'
import { packageFolder } from '../../core/pages/index.ts'
import { createDocuments } from '../../core/storage/index.ts'
import { createSandbox, type SandboxControls, sandbox } from '../../providers/sandbox/index.ts'
import { addMonths } from '../../providers/sandbox/periods.ts'
import { storageOf } from '../assembly/former-names.ts'
import { hasOwnConfig, loadConfigInCode, withKey } from '../config-in-code.ts'
import { createMembership, type Membership } from '../membership.ts'
import type { MembershipOptions } from '../options.ts'
import { createDemo } from './demo.ts'
import { createDemoClock } from './demo-clock.ts'
import { demoWebsites } from './demo-websites.ts'
import { loadMagazine } from './magazine.ts'
import { createSite, magazinePages } from './magazine-site.ts'
import { createMailbox } from './mailbox.ts'

/** The site to start, and what replaces its configuration. */
export interface SiteOptions {
  /** The site's folder. Its configuration is used if it has one, else the demo's. */
  readonly folder: string
  readonly config?: string
  /** Replaces `membership.database.url`. */
  readonly databaseUrl?: string
  readonly now?: () => Date
  readonly log?: Log
}

/** Returns the options that open a folder's own configuration, or else the demo's. @throws ERR_CONFIG */
export async function siteOptions(options: SiteOptions): Promise<MembershipOptions> {
  const { folder, config, databaseUrl, now, log } = options
  const isOfDemo = isDemo(options)
  const inCode = isOfDemo ? null : await loadConfigInCode(folder, config)
  const found: MembershipOptions = {
    root: folder,
    ...(isOfDemo
      ? {
          config: join(packageFolder(), 'config', 'magazine.yml'),
          reports: demoWebsites(),
          // Everybody who reaches the demo can read its mailbox, and with it every login link: so nobody logs in
          // to its office, and everybody may look.
          'membership.office.enabled': true,
          office: { who: () => ({ name: 'Demo', role: 'viewer' as const }) },
        }
      : (inCode?.options ?? { config })),
    ...(now ? { now } : {}),
    ...(log ? { log } : {}),
  }
  return databaseUrl ? withKey(found, 'membership.database.url', databaseUrl) : found
}

function isDemo({ folder, config }: SiteOptions): boolean {
  return config === undefined && !hasOwnConfig(folder)
}

export interface RunningSite {
  readonly url: string
  /** API key of the demo's partner, at the first start of the demo; null later, and for other sites. */
  readonly demoKey: string | null
  readonly membership: Membership
  close(): Promise<void>
  /** Closes as a deploy does: open requests are answered first. */
  end(): Promise<void>
}

/**
 * Starts the embedded runtime: the demo magazine, or a site with its own configuration.
 * @throws ERR_PORT_TAKEN
 */
export async function startSite(options: SiteOptions & { port: number; host: string }): Promise<RunningSite> {
  const clock = createDemoClock(options.now ?? (() => new Date()), addMonths)
  const { now } = clock
  const magazine = loadMagazine()
  let controls: SandboxControls | null = null
  const mailbox = createMailbox(() => createDocuments(storageOf(membership), 'mailbox of the demo'), now)
  const demo = createDemo({
    membership: () => membership,
    clock,
    controls: () => (membership.operator.config.provider.handler === 'sandbox' ? controls : null),
    mailbox,
    officeUrl: isDemo(options) ? '/membership/office' : null,
  })
  const pageData: NonNullable<MembershipOptions['pageData']> = async (ctx, view) => ({
    magazine: magazine.magazine,
    pages: magazinePages,
    demo: await demo.bar(view, await membership.pages.voice(ctx)),
    // Target of the link "look into your mailbox".
    ...(isDemo(options) ? { mailbox_url: '/demo/mailbox' } : {}),
  })
  const own = await siteOptions({ ...options, now })
  const membership = await createMembership({
    ...own,
    ...(isDemo(options) ? { mails: { transport: mailbox.transport, siteName: magazine.magazine.name } } : {}),
    customProviders: [
      ...(own.customProviders ?? []),
      {
        ...sandbox,
        create: (context) => {
          const made = createSandbox(context)
          controls = made.controls
          return made
        },
      },
    ],
    pageData,
    // The magazine has its own account and price pages.
    'membership.pages.account': magazinePages.account,
    'membership.pages.prices': magazinePages.prices,
  })
  if (membership.operator.config.provider.handler === 'sandbox')
    await clock.load(createDocuments(storageOf(membership), 'demo of the runtime'))
  const site = createSite({
    membership,
    magazine,
    demo,
    mailbox: isDemo(options) ? mailbox : null,
    pageData: async (ctx, view) => pageData(ctx, view),
    now,
    log: options.log ?? (() => undefined),
  })
  try {
    return await open(site, { options, membership, controls: () => controls })
  } catch (error) {
    await membership.close()
    throw error
  }
}

async function open(
  site: ReturnType<typeof createSite>,
  {
    options,
    membership,
    controls,
  }: {
    options: SiteOptions & { port: number; host: string }
    membership: Membership
    controls: () => SandboxControls | null
  },
): Promise<RunningSite> {
  const server = await listen(site, options.port, options.host)
  const { port } = server.address() as AddressInfo
  const urlOf = (host: string) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  // Deliveries that fall due before the next purchase must reach the site, whose port may have changed.
  await controls()?.setSite(urlOf(ownAddress[options.host] ?? options.host))
  return {
    url: urlOf(options.host),
    membership,
    demoKey: isDemo(options) ? await demoPartnerKey(membership) : null,
    close: async () => {
      await new Promise<void>((done) => {
        server.close(() => done())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 3000).unref()
      })
      await membership.close()
    },
    end: async () => {
      await drain(server)
      await membership.close()
    },
  }
}

// A wildcard address is not an address to visit.
const ownAddress: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The demo's partner of the website index. */
export const demoPartner = { name: 'Demo partner', email: 'partner@neap.example' }

async function demoPartnerKey(m: Membership): Promise<string | null> {
  const partners = await m.reports.partners.list()
  if (partners.some(({ email }) => email === demoPartner.email)) return null
  const { id } = await m.reports.partners.add(demoPartner, 'demo')
  return (await m.reports.keys.issue(id, { label: 'demo' }, 'demo')).key
}

function listen(site: ReturnType<typeof createSite>, port: number, host: string) {
  return new Promise<ReturnType<typeof site.listen>>((done, failed) => {
    const server = site.listen(port, host)
    server.once('listening', () => done(server))
    server.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        error.code === 'EADDRINUSE'
          ? new MembershipError('ERR_PORT_TAKEN', `Port ${port} on ${host} is taken by another program.`, {
              action: `Stop that program, or choose another port: PORT=${port + 1} npm start`,
            })
          : error,
      ),
    )
  })
}
