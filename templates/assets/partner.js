// A picture that is dragged onto the form is sent by it; a list is copied by a button. Without it, everything works as well.
const form = document.querySelector('.o-drop')
const file = form?.querySelector('input[type=file]')
if (form && file) {
  form.querySelector('[data-drop]').hidden = false
  const takes = (event) => event.dataTransfer?.types.includes('Files')
  for (const name of ['dragenter', 'dragover'])
    form.addEventListener(name, (event) => {
      if (!takes(event)) return
      event.preventDefault()
      form.classList.add('is-over')
    })
  form.addEventListener('dragleave', () => form.classList.remove('is-over'))
  form.addEventListener('drop', (event) => {
    if (!takes(event)) return
    event.preventDefault()
    form.classList.remove('is-over')
    file.files = event.dataTransfer.files
    form.requestSubmit()
  })
  // Dropped beside it, a picture would take the page's place.
  for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault())
}
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    const list = document.getElementById(button.dataset.copy)
    list.select()
    await navigator.clipboard.writeText(list.value)
    button.nextElementSibling.textContent = button.dataset.copied
  })
}
