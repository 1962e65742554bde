import { geminiCases } from '../cases/gemini.ts'
import { testQuestions } from './matrix.ts'

testQuestions(geminiCases())
