-- A first Yavalath bot: it plays a random empty cell. Read, change, win.
import Control.Monad (replicateM, unless)
import GHC.Clock (getMonotonicTimeNSec)
import System.IO

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

-- | One of them at random. The compiler's libraries have no other source of chance than the clock.
choose :: [a] -> IO a
choose list = do
    now <- getMonotonicTimeNSec
    return (list !! (fromIntegral now `mod` length list))

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    [myId] <- readNumbers -- 1 if you begin, 2 if your opponent does
    play myId

-- | One turn after the other.
play :: Int -> IO ()
play myId = do
    over <- isEOF
    unless over $ do
        [rowCount] <- readNumbers -- always 9
        rows <- replicateM rowCount getLine -- 0 empty, 1 your stone, 2 your opponent's
        [lastX, lastY] <- readNumbers -- your opponent's last move; -1 -1 if you begin
        let emptyCells = [(x, y) | (y, row) <- zip [0 :: Int ..] rows, (x, '0') <- zip [0 :: Int ..] row]
        (x, y) <- choose emptyCells
        putStrLn (unwords [show x, show y, "hello"])
        play myId

        -- Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        -- from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
