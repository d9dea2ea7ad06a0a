/* Codes of a class that are shown once. Pure. */
import type { ClassCode } from './types'

/** Those that are shown, and new ones: the old code of a student stops working when there is a new one. */
export const withCodes = (shown: ClassCode[], fresh: ClassCode[]): ClassCode[] => [
  ...new Map([...shown, ...fresh].map((one) => [one.member_id, one])).values(),
]
