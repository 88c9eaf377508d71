import type { Middleware } from 'koa'
import { isMembershipError } from '../../core/errors.ts'
import { createCallers } from '../../core/http/callers.ts'
import type { FormTools } from '../../core/http/form-router.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { createErrorPage } from './error-page.ts'
import type { Ground } from './ground.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'

// A mailbox gets no more mails of one kind than this in a minute, whoever asks.
const mailsPerMinute = 3
/** The forms that send a mail to an address that somebody typed. Each has a count of its own, so that nobody keeps a
 *  member from logging in with another form. */
export type MailingForm = 'login' | 'declaration' | 'email-change' | 'merge-own' | 'merge-other'
// A page looks twenty times in its first minute; some are open in several tabs, or ask from a script.
const looksPerMinute = 120

export type RouteTools = ReturnType<typeof createRouteTools>

/** What routes are counted, checked and shown with. */
export const createRouteTools = ({ config, counters, log }: Ground, rooms: Rooms, people: People) => {
  const { pageData, voiceOf, checkForm, standingOf } = people
  const render: typeof rooms.render = (template, data) =>
    rooms.render(template, {
      money: (amount: number, currency: string, provider?: string) =>
        rooms.money({ amount, currency, provider }, data.locale as string | undefined),
      ...data,
    })

  const { ratelimit, site, pages } = rooms
  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  const looks = createRateLimit({ limit: looksPerMinute, policy: 'waiting', who: 'one page', counters })
  // A page that waits for a payment is counted by its checkout; one that there is not, against whoever asks for it.
  const waiting: Middleware = async (ctx, next) => {
    await looks.consume(ctx.path)
    await next().catch(async (error: unknown) => {
      if (isMembershipError(error, 'ERR_INTENT_UNKNOWN'))
        ctx.set(await callers.count(callers.callerOf(ctx.req)))
      throw error
    })
  }
  /** Counts a form that mails. @throws ERR_RATE_LIMIT for the fourth one to an address within a minute */
  const countMail = (form: MailingForm) => {
    const mails = createRateLimit({
      ...{ limit: mailsPerMinute, name: `mails-${form}`, policy: 'mails', counters },
      ...{ who: 'forms with this e-mail address', setting: null },
    })
    return async (email: string): Promise<void> => void (await mails.consume(fingerprint(email)))
  }
  /** The same for forms that tell nobody whether an address is a member's: false when there were too many. */
  const mayMail = (form: MailingForm) => {
    const count = countMail(form)
    return (email: string): Promise<boolean> =>
      count(email).then(
        () => true,
        (error: unknown) => {
          if (isMembershipError(error, 'ERR_RATE_LIMIT')) return false
          throw error
        },
      )
  }

  const errorPage = createErrorPage({ render, pageData, voiceOf, site, pages })
  const form = {
    ...{ limit, checkForm, standingOf, errorPage, log },
    accountPath: pages.account,
  } satisfies FormTools & { accountPath: string }
  return { form, shown: { render, pageData }, callers, waiting, countMail, mayMail }
}
