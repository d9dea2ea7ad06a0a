/* A button that is disabled while what it asked for is done loses the focus, and the keyboard begins at the page's top.

   Here it gets the focus back as soon as it is enabled, unless the focus is somewhere else by then. */

/** Watches all buttons of a page, for good. */
export function keepFocusOnButtons(page: Document): void {
  let last: EventTarget | null = null
  let waiting: HTMLElement | null = null
  page.addEventListener('focusin', (event) => {
    last = event.target
    waiting = null
  })
  const watched = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLButtonElement)) continue
      if (target.disabled) waiting = target === last ? target : waiting
      else if (target === waiting) {
        waiting = null
        if (nobodyHas(page)) target.focus({ preventScroll: true })
      }
    }
  })
  watched.observe(page, { subtree: true, attributes: true, attributeFilter: ['disabled'] })
}

function nobodyHas(page: Document): boolean {
  return page.activeElement === null || page.activeElement === page.body
}
