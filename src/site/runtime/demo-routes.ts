import type Router from '@koa/router'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { formBody } from '../../core/http/form-body.ts'
import { localPath } from '../../core/http/forms.ts'
import type { View } from '../../memberships/members/index.ts'
import type { Membership } from '../membership.ts'
import type { Demo } from './demo.ts'

/** `POST /demo/{button}`: the buttons of the demo's bar. They exist in the demo only. */
export function demoRoutes(router: Router, { membership: m, demo }: { membership: Membership; demo: Demo }) {
  const form = formBody({ json: false, text: false, formLimit: '4kb' })
  router.post('/demo/:button', form, async (ctx) => {
    const fields = (ctx.request.body ?? {}) as Record<string, unknown>
    m.pages.checkForm(ctx, fields.token)
    const back = localPath(fields.redirect, '/')
    const { button = '' } = ctx.params
    const view = (ctx as unknown as Context & { membership: View }).membership
    if (!(await demo.press(button, ctx, view)))
      throw new MembershipError('ERR_NOT_FOUND', 'The demo has no such button.')
    ctx.redirect(button === 'reset' ? '/' : back)
    ctx.status = 303
  })
}
