// Runs before the page is drawn: takes over the theme chosen earlier (src/lib/theme.ts writes it).
try {
  const theme = localStorage.getItem('theme')
  if (theme) document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; then the system's choice holds.
}
