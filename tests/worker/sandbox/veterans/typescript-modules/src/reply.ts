export const reply = (turn: number): string => `REPLY ${turn}`
