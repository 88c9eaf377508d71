import { createElement, type ReactElement } from 'react'
import { isShownOffice } from './payload.ts'

/** The link to the office in the navigation of Payload's admin, for the users that `showsOffice` names. */
export function OfficeLink({
  payload,
  user,
}: {
  readonly payload: object
  readonly user?: object | null
}): ReactElement | null {
  if (!isShownOffice(user === undefined ? { payload } : { payload, user })) return null
  return createElement('a', { className: 'nav__link', href: '/membership/office' }, 'Membership')
}
