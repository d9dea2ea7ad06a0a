/* Whether one may use this arena without an account. The server says in each page's head if not (backend/api/pages/heads.py). */

export const guestsAllowed = (): boolean => document.querySelector('meta[name="guests"][content="none"]') === null
