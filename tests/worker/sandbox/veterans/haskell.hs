import Control.Monad
import qualified Data.Map as Map
import System.IO

main :: IO ()
main = do
    hSetBuffering stdout NoBuffering
    loop Map.empty

loop :: Map.Map Int Int -> IO ()
loop seen = do
    line <- getLine
    let turn = read line :: Int
    hPutStrLn stderr ("turn " ++ line)
    putStrLn ("REPLY " ++ show turn)
    loop (Map.insert turn turn seen)
