import { codexCases } from '../cases/codex.ts'
import { testQuestions } from './matrix.ts'

testQuestions(codexCases())
