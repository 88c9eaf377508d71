import { hash } from 'node:crypto'

/** Addresses are compared in lower case, without surrounding space. */
export const normalEmail = (email: string | null | undefined): string | null => {
  const trimmed = email?.trim().toLowerCase()
  return trimmed ? trimmed : null
}

/** Recognises an address that is no longer kept. */
export const emailHash = (email: string): string => hash('sha256', email, 'hex')
