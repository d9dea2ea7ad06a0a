-- A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
import Control.Monad (replicateM, unless)
import Data.List (intercalate, sortOn)
import qualified Data.Map as Map
import System.IO

type Distances = Map.Map Int Int -- cell -> steps from my first base

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

-- | The distances, with the cells of the next steps: those beside the cells that were reached last.
walk :: [[Int]] -> Int -> [Int] -> Distances -> Distances
walk _ _ [] known = known
walk neighbours steps reached known = walk neighbours (steps + 1) (Map.keys new) (Map.union known new)
  where
    near = concatMap (neighbours !!) reached
    new = Map.fromList [(cell, steps) | cell <- near, Map.notMember cell known]

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering

    -- The map, once.
    [cellCount] <- readNumbers
    cells <- replicateM cellCount readNumbers
    let kinds = map head cells -- 0 nothing, 1 eggs, 2 crystal
        neighbours = map (filter (/= -1) . drop 2) cells -- of each cell: up to six other cells
    [baseCount] <- readNumbers
    myBases <- readNumbers
    opponentBases <- readNumbers
    play cellCount (head myBases) (walk neighbours 1 [head myBases] (Map.singleton (head myBases) 0))

-- | One turn after the other.
play :: Int -> Int -> Distances -> IO ()
play cellCount base distances = do
    over <- isEOF
    unless over $ do
        numbers <- readNumbers
        -- Two numbers are the points; only in the full game.
        (points, first) <- if length numbers == 2 then (,) numbers <$> readNumbers else return ([0, 0], numbers)
        others <- replicateM (cellCount - 1) readNumbers
        let cells = first : others -- of each cell: resources, my ants, my opponent's ants
            targets = sortOn (distances Map.!) [cell | (cell, resources : _) <- zip [0 ..] cells, resources > 0]
            commands = [unwords ["LINE", show base, show target, "1"] | target <- take 3 targets]
        putStrLn (if null commands then "WAIT" else intercalate ";" commands)
        play cellCount base distances

        -- Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        -- than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
