import type { Context } from 'koa'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormRequest, type FormTools } from '../../core/http/form-router.ts'
import { access } from '../../core/http/route-access.ts'
import type { PageTools } from '../members/index.ts'
import type { Declarations, Declared } from './declarations.ts'

/** `/membership/cancel` and `/membership/withdraw`: public pages without a login that confirm at once. */
export function shopRouter(deps: {
  readonly form: FormTools
  readonly page: PageTools
  readonly declarations: Declarations
  /** Counts an acknowledgement for its address; false, without an error, when there were too many. */
  readonly mayWrite: (email: string) => Promise<boolean>
}) {
  const router = createFormRouter(deps.form)

  const show = async (ctx: Context, data: Record<string, unknown>): Promise<void> => {
    ctx.type = 'html'
    ctx.body = deps.page.render('shop/declare', { ...(await deps.page.pageData(ctx)), ...data })
  }
  const declare = async (request: FormRequest, kind: Declared['kind']) => {
    const { ctx } = request
    const declared = readDeclared(request, kind)
    const isWritten = await deps.mayWrite(declared.email)
    const acknowledgement = await deps.declarations.declare(declared, {
      language: (await deps.page.voiceOf(ctx)).lang,
      isWritten,
    })
    await show(ctx, { kind, acknowledgement, isWritten })
    // The answer is the same for every address, so that it does not reveal accounts.
    return { json: { id: acknowledgement.id, received_at: acknowledgement.received_at }, redirect: null }
  }

  for (const [path, kind] of pages) {
    router.get(path, access.anybody, (ctx) => show(ctx, { kind, acknowledgement: null }))
    router.post(path, access.anybody, (request) => declare(request, kind))
  }
  return router.routes()
}

const pages = [
  ['/membership/cancel', 'cancellation'],
  ['/membership/withdraw', 'withdrawal'],
] as const

/** @throws ERR_FORM */
function dayOf(given: string | null): string | null {
  if (given === null) return null
  if (/^\d{4}-\d\d-\d\d$/.test(given) && !Number.isNaN(Date.parse(given))) return given
  throw new MembershipError('ERR_FORM', 'The field "ends_on" must be a day such as 2027-01-31.')
}

/** @throws ERR_FORM that names the field */
function readDeclared(request: FormRequest, kind: Declared['kind']): Declared {
  const given = (name: string): string => {
    const text = request.text(name)
    if (text === null) throw new MembershipError('ERR_FORM', `The field "${name}" is empty.`)
    return text
  }
  const email = normalEmail(given('email'))
  if (!isEmail(email)) throw new MembershipError('ERR_FORM', 'This is no e-mail address.')
  const isExtraordinary = kind === 'cancellation' && request.text('nature') === 'extraordinary'
  return {
    kind,
    nature: kind === 'withdrawal' ? null : isExtraordinary ? 'extraordinary' : 'ordinary',
    reason: isExtraordinary ? request.text('reason', 1000) : null,
    ends_on: kind === 'cancellation' ? dayOf(request.text('ends_on')) : null,
    name: given('name'),
    contract: given('contract'),
    email,
  }
}
