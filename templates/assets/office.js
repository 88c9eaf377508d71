// "/" jumps to the search. Without it, everything works as well.
addEventListener('keydown', (event) => {
  const field = document.getElementById('office-search')
  const writes = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || writes || field === null || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
  field.select()
})

// On a phone a row is a card: each cell says what its column is. Without this the table scrolls by itself.
for (const table of document.querySelectorAll('table.o-table:not(.o-cohorts)')) {
  const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent.trim())
  for (const row of table.querySelectorAll('tbody tr'))
    for (const [i, cell] of [...row.children].entries())
      if (cell.tagName === 'TD' && heads[i]) cell.dataset.label = heads[i]
  table.classList.add('is-labelled')
}
