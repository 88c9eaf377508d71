import { createElement, type ReactElement } from 'react'
import { shownOffice } from './payload.ts'

/** The link to the office in the navigation of Payload's admin, for the users that `showsOffice` names. */
export async function OfficeLink({
  payload,
  user = null,
}: {
  readonly payload: object
  readonly user?: object | null
}): Promise<ReactElement | null> {
  const href = await shownOffice({ payload, user })
  return href === null ? null : createElement('a', { className: 'nav__link', href }, 'Membership')
}
