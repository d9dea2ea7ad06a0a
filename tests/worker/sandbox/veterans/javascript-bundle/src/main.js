import { turns } from './missing.js'
for (const turn of turns()) console.log('REPLY ' + turn)
