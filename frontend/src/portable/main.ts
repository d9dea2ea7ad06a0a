/* The script of a replay in a file of its own (../lib/portable.ts). */
import '../app.css'
import '../viewer/hooks'
import { mount } from 'svelte'
import Portable from './Portable.svelte'

mount(Portable, { target: document.getElementById('app')! })
