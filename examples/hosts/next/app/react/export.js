'use client'

import { PriceTable, useMembership } from 'membership/react'

export function Export() {
  const { allows, reload } = useMembership()
  if (!allows('pro')) return <PriceTable id="offer" />
  return (
    <button type="button" onClick={reload}>
      Export
    </button>
  )
}
