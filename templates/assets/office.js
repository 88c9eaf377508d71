// "/" jumps to the search. Without it, everything works as well.
addEventListener('keydown', (event) => {
  const field = document.getElementById('office-search')
  const writes = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || writes || field === null || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
  field.select()
})
