/* The slider of the pages of a capsule: it says which request it is at, and leads there when it is let go, or with Enter. */

/** Whether the slider had the focus on the page before. */
const sliderKept = 'moment-chosen'

const slider = document.querySelector<HTMLInputElement>('#moment')
const form = slider?.form
if (slider && form) {
  const ids = slider.dataset.ids!.split(' ')
  const tell = () => {
    const id = ids[slider.valueAsNumber - Number(slider.min)]!
    slider.setAttribute('aria-valuetext', id)
    form.querySelector('output')!.textContent = id
  }
  const show = () => {
    sessionStorage.setItem(sliderKept, 'yes')
    form.requestSubmit()
  }
  const { value } = slider
  slider.addEventListener('input', tell)
  slider.addEventListener('pointerup', () => slider.value !== value && show())
  slider.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    show()
  })
  // A page to which the browser goes back has the value that it was left with.
  addEventListener('pageshow', tell)
  if (sessionStorage.getItem(sliderKept)) slider.focus()
  sessionStorage.removeItem(sliderKept)
}
