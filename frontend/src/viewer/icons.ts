/* The icons, as paths in a square of 24 units. */
export const icons = {
  play: 'M7 4.5v15l12.5-7.5z',
  pause: 'M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z',
  next: 'M5 5v14l9-7zM15.5 5h3v14h-3z',
  prev: 'M19 5v14l-9-7zM5.5 5h3v14h-3z',
  first: 'M4 5h2.6v14H4zM20.5 5v14l-7.5-7zM13 5v14l-7.5-7z',
  last: 'M17.4 5H20v14h-2.6zM3.5 5v14l7.500-7zM11 5v14l7.500-7z',
  share:
    'M10.6 13.4a1 1 0 0 0 1.400 0l6-6V11h2V4h-7v2h3.600l-6 6a1 1 0 0 0 0 1.400zM18 18H6V6h4V4H4v16h16v-6h-2z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  minus: 'M5 11h14v2H5z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm1 14.500h-2v-2h2zm1.600-6.300c-.9.700-1.400 1.100-1.500 2.300h-2.100c0-1.900.8-2.700 1.800-3.500.7-.5 1.100-.9 1.100-1.600 0-.8-.7-1.400-1.700-1.400s-1.800.6-1.900 1.700H8.200c.1-2.100 1.700-3.500 3.900-3.500 2.200 0 3.800 1.200 3.800 3.100 0 1.400-.7 2.200-1.300 2.900z',
  layers:
    'm12 3 9 5-9 5-9-5zm-7 9 7 3.900 7-3.900 2 1.100-9 5-9-5zm0 4.200 7 3.900 7-3.900 2 1.100-9 5-9-5z',
  theme: 'M12 3a9 9 0 1 0 0 18zm0 0v18a9 9 0 0 0 0-18zm0 2a7 7 0 0 1 0 14z',
  panel: 'M4 5h16v14H4zm2 2v10h7V7zm9 0v10h3V7z',
  full: 'M3 3h7v2H6.400l4 4L9 10.400l-4-4V10H3zm18 18h-7v-2h3.600l-4-4 1.400-1.400 4 4V14h2z',
  download: 'M11 4h2v8.200l3-3 1.400 1.400L12 16l-5.400-5.400L8 9.200l3 3zM5 18h14v2H5z',
} as const
export type IconName = keyof typeof icons
