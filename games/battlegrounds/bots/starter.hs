-- A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
-- It speaks the line protocol of the rules page: a block of lines for each call, one line back.
import Control.Monad (replicateM, unless)
import System.IO

side, middle :: Int
side = 25
middle = 12 -- I am in the middle of what I see

ways :: [Int]
ways = [1, 2, 3, 4, 6, 7, 8, 9] -- 5 is the bot itself

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

readLines :: Int -> IO [String]
readLines count = replicateM count getLine

beside :: (Int, Int) -> Int -> (Int, Int)
beside (x, y) way = (x + (way - 1) `mod` 3 - 1, y + (way - 1) `div` 3 - 1)

-- | A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
cell :: [String] -> (Int, Int) -> Char
cell view (x, y) = view !! y !! x

-- | How many of the eight neighbours are alive. Bots count as alive.
liveNeighbours :: [String] -> (Int, Int) -> Int
liveNeighbours view place = length [way | way <- ways, cell view (beside place way) /= '0']

-- | Actions, and perhaps a message.
choose :: [String] -> String
choose view
    | alive `elem` [2, 3] = "" -- the generation at the end of this turn will not hurt
    | goal : _ <- goals = show goal ++ " say 4" -- 4 means: come here
    | otherwise = unwords (map (show . negate) (take (3 - alive) dead)) -- alone? Then wake up neighbours until there are three
  where
    me = (middle, middle)
    alive = liveNeighbours view me
    dead = [way | way <- ways, cell view (beside me way) == '0']
    -- Dead cells where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    goals = [way | way <- dead, liveNeighbours view (beside me way) - 1 `elem` [2, 3]]

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    listen 0

-- | One call after the other, with the size of the board.
listen :: Int -> IO ()
listen size = do
    over <- isEOF
    unless over $ do
        call <- words <$> getLine
        case call of
            ["init", number, boardSize] -> do
                board <- readLines (read boardSize) -- before anybody is on it; number: mine, 2 to 5
                putStrLn "ok"
                listen (read boardSize)
            ["parachute", turn] -> do -- ten times: where do I land?
                team <- replicateM 4 readNumbers -- what each of us said last, or -1 -1
                let places = [(x, y) | [_, x, y] <- team, x >= 0] ++ [(size `div` 2, size `div` 2)]
                    (x, y) = head places
                putStrLn (unwords [show x, show y])
                listen size
            name : turn -> do -- 25 times start, while nothing lives or dies; then main, each turn until the end
                [x, y] <- readNumbers -- where I am on the board
                view <- readLines side
                team <- if name == "main" then readLines . read =<< getLine else return [] -- number, x, y of us who live
                chat <- readLines . read =<< getLine -- number and text, since last turn
                putStrLn (if name == "main" then choose view else "")
                listen size
            [] -> return ()

-- Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
-- look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
