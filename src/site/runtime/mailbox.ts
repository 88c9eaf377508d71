import type Router from '@koa/router'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import {
  framedMailHeaders,
  type Mail,
  mailboxDirective,
  mailName,
  type Transport,
} from '../../memberships/mails/index.ts'
import type { DocumentStore } from '../../providers/contract.ts'

interface Kept extends Mail {
  readonly id: string
  readonly at: string
}

const maxKept = 50

/** The demo's mailbox: not a real one, but a page that everybody who tries the demo can read. */
export function createMailbox(store: () => DocumentStore, now: () => Date) {
  const all = async (): Promise<Kept[]> => (await store().get<Kept[]>('mails')) ?? []

  // A mail that is sent again after a crash replaces the first copy.
  const save = async (mail: Mail): Promise<void> => {
    const kept = (await all()).filter(({ id }) => id !== mail.id)
    await store().put('mails', [{ ...mail, at: now().toISOString() }, ...kept].slice(0, maxKept))
  }

  // Mails are saved one after the other: two at once would overwrite each other's list.
  let before: Promise<unknown> = Promise.resolve()
  const transport: Transport = (mail) => {
    const saved = before.then(() => save(mail))
    before = saved.catch(() => undefined)
    return saved
  }

  const find = async (ctx: Context): Promise<Kept> => {
    const { id } = (ctx as unknown as { params: { id?: string } }).params
    const found = (await all()).find((mail) => mail.id === id)
    if (found) return found
    throw new MembershipError('ERR_NOT_FOUND', 'There is no such mail.')
  }
  const shown = (mail: Kept) => ({
    ...mail,
    name: mailName(mail.kind, mail.language),
    href: addressOf(mail),
    html_url: `${addressOf(mail)}/html`,
  })

  const routes = (
    router: Router,
    show: (ctx: Context, template: string, data: Record<string, unknown>) => Promise<void>,
  ): void => {
    const page = async (ctx: Context, opened: Kept | null) => {
      ctx.set(
        'Content-Security-Policy',
        `${ctx.response.get('Content-Security-Policy')}; ${mailboxDirective}`,
      )
      const mails = (await all()).map(shown)
      await show(ctx, 'mailbox', { mails, ...(opened ? { opened: shown(opened) } : {}) })
    }
    router.get('/demo/mailbox', (ctx) => page(ctx as unknown as Context, null))
    router.get('/demo/mailbox/:id', async (ctx) =>
      page(ctx as unknown as Context, await find(ctx as unknown as Context)),
    )
    router.get('/demo/mailbox/:id/html', async (ctx) => {
      const { html } = await find(ctx as unknown as Context)
      ctx.set({ ...framedMailHeaders })
      ctx.body = html
    })
  }

  return {
    transport,
    routes,
    clear: () => store().clear(),
    /** The id of the mail that arrived last; null for an empty mailbox. */
    newest: async (): Promise<string | null> => (await all())[0]?.id ?? null,
  }
}
export type Mailbox = ReturnType<typeof createMailbox>

function addressOf({ id }: Kept): string {
  return `/demo/mailbox/${encodeURIComponent(id)}`
}
